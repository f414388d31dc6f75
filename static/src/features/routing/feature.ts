/** Routing: only the models for this kind of question answer it. */
import { msg, t } from "../../i18n";
import type { RunState } from "../../run/state";
import type { Feature } from "../feature";
import { categoryName, RoutingNote } from "./note";
import { events, routingOf, stored } from "./state";

const isIn = (run: RunState) => run.phase === "routing" || routingOf(run) !== null;

export const routing = {
  name: "routing",
  title: msg("Routing"),
  events,
  stored,
  option: {
    field: "use_dynamic_routing",
    group: "answers",
    obstacle: ({ routing_pools: pools }) =>
      Object.values(pools).some((models) => models.length > 1)
        ? null
        : t("No kind of question has two models of its own."),
    choosesMembers: msg("Routing chooses the members already."),
  },
  stage: { key: "routing", place: "first", isIn },
  describe: (run) => (run.phase === "routing" ? t("Finding out who should answer.") : null),
  answersSummary: (run) => {
    const info = routingOf(run);
    return info?.is_routed
      ? t("routed as {{category}}", { category: categoryName(info.category) })
      : null;
  },
  notes: { answers: RoutingNote },
} satisfies Feature;
