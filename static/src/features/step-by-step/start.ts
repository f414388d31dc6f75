/** What is known of it before a run has it: see `feature.ts`. */
import { msg } from "../../i18n";
import type { FeatureStart } from "../feature";

export const start = {
  name: "step-by-step",
  title: msg("Step by step"),
  option: { field: "use_cot", group: "answers", everyFormat: true },
} satisfies FeatureStart;
