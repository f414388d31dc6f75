/** The jury: models that review the answers in the members' place. */
import { msg } from "../../i18n";
import type { Feature } from "../feature";

export const jury = {
  name: "jury",
  title: msg("Reviewers"),
} satisfies Feature;
