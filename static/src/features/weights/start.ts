/** What is known of it before a run has it: see `feature.ts`. */
import { msg, t } from "../../i18n";
import type { FeatureStart } from "../feature";

export const start = {
  name: "weights",
  title: msg("Weighted votes"),
  option: {
    field: "use_weighted_consensus",
    group: "reviews",
    byDefault: true,
    chip: () => t("Unweighted votes"),
  },
} satisfies FeatureStart;
