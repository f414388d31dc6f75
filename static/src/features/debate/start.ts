/** What is known of it before a run has it: see `feature.ts`. */
import { msg } from "../../i18n";
import type { FeatureStart } from "../feature";
import { formats } from "./formats";

export const start = {
  name: "debate",
  title: msg("Debate"),
  formats,
} satisfies FeatureStart;
