/** What is known of it before a run has it: see `feature.ts`. */
import { msg } from "../../i18n";
import type { FeatureStart } from "../feature";

export const start = {
  name: "word-for-word",
  title: msg("How it is made"),
  way: {
    field: "final",
    group: "final",
    byDefault: "write",
    values: [
      { value: "write", text: msg("Written") },
      {
        value: "select",
        text: msg("Best-ranked, as it is"),
        alone: msg("The best-ranked answer is taken as it is: nothing is written."),
      },
      { value: "auto", text: msg("Best-ranked if clear") },
    ],
  },
} satisfies FeatureStart;
