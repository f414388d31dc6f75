/** What is known of it before a run has it: see `feature.ts`. */
import { msg, t } from "../../i18n";
import type { FeatureStart } from "../feature";

export const start = {
  name: "escalation",
  title: msg("Escalation"),
  option: {
    field: "use_escalation",
    group: "answers",
    obstacle: ({ tier1_models: first, tier2_models: second }) =>
      first.length > 0 && second.length > 0 ? null : t("Two tiers of models are needed."),
    choosesMembers: true,
  },
} satisfies FeatureStart;
