/** What is known of it before a run has it: see `feature.ts`. */
import { msg, t } from "../../i18n";
import type { FeatureStart } from "../feature";

export const start = {
  name: "refinement",
  title: msg("Refinement"),
  option: {
    field: "use_refinement",
    group: "final",
    amount: { field: "refinement_max_iterations", byDefault: 2, least: 1, most: 5 },
    chip: ({ refinement_max_iterations: rounds = 1 }) =>
      rounds > 1 ? t("Refinement ×{{rounds}}", { rounds }) : t("Refinement"),
  },
} satisfies FeatureStart;
