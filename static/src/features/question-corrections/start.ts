/** What is known of it before a run has it: see `feature.ts`. */
import { msg } from "../../i18n";
import type { FeatureStart } from "../feature";

export const start = {
  name: "question-corrections",
  title: msg("Corrections of the question"),
} satisfies FeatureStart;
