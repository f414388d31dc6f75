/** Web search: what one search finds stands before the question, for every member. */
import { lazy } from "react";
import { t } from "../../i18n";
import type { RunState } from "../../run/state";
import { orMissing } from "../../ui/part";
import type { Feature } from "../feature";
import { start } from "./start";
import { events, settle, stored, type WebSearchState, webSearchOf } from "./state";

function summary({ status, result }: WebSearchState): string {
  if (status === "searching") return t("searching…");
  if (status === "stopped") return t("broken off");
  if (result?.error) return t("failed");
  const found = result?.sources?.length ?? 0;
  return found > 0 ? t("{{count, number}} results", { count: found }) : t("nothing found");
}

/** That it found nothing; that it failed stands among what went wrong. */
function NothingFound({ run }: { run: RunState }) {
  const result = webSearchOf(run)?.result;
  if (!result || result.error || result.found) return null;
  return (
    <p className="final-notes">
      {t("The web search found nothing; the members answered without it.")}
    </p>
  );
}

export const feature = {
  ...start,
  events,
  settle,
  stored,
  stage: { key: "search", place: "first", isIn: (run) => webSearchOf(run) !== null },
  describe: (run) => (run.phase === "search" ? t("The web is searched.") : null),
  notes: { final: NothingFound },
  section: {
    of: webSearchOf,
    summary,
    Panel: lazy(() => orMissing(import("./panel"))),
  },
} satisfies Feature;
