/** What is known of it before a run has it: see `feature.ts`. */
import { msg, t } from "../../i18n";
import type { FeatureStart } from "../feature";

export const start = {
  name: "unreviewed",
  title: msg("Peer review"),
  option: {
    field: "use_reviews",
    group: "reviews",
    byDefault: true,
    chip: () => t("Without reviews"),
  },
} satisfies FeatureStart;
