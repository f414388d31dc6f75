/** What is known of it before a run has it: see `feature.ts`. */
import { msg, t } from "../../i18n";
import type { FeatureStart } from "../feature";

export const start = {
  name: "routing",
  title: msg("Routing"),
  option: {
    field: "use_dynamic_routing",
    group: "answers",
    obstacle: ({ routing_pools: pools }) =>
      Object.values(pools).some((models) => models.length > 1)
        ? null
        : t("No kind of question has two models of its own."),
    choosesMembers: msg("Routing chooses the members already."),
  },
} satisfies FeatureStart;
