/** Routing: only the models for this kind of question answer it. */
import { t } from "../../i18n";
import type { RunState } from "../../run/state";
import type { Feature } from "../feature";
import { categoryName, RoutingNote } from "./note";
import { start } from "./start";
import { events, routingOf, stored } from "./state";

const isIn = (run: RunState) => run.phase === "routing" || routingOf(run) !== null;

export const feature = {
  ...start,
  events,
  stored,
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
