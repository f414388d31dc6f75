/** What is known of it before a run has it: see `feature.ts`. */
import { msg, t } from "../../i18n";
import type { FeatureStart } from "../feature";

export const start = {
  name: "chairmen",
  title: msg("Several chairmen"),
  option: {
    field: "use_multi_chairman",
    group: "final",
    obstacle: ({ multi_chairman_models: models }) =>
      models.length > 0 ? null : t("No drafting chairmen are set."),
  },
} satisfies FeatureStart;
