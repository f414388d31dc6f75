/** ReAct: the chairman checks facts before it writes, and says what it looks for and why. */
import { lazy, Suspense } from "react";
import { t } from "../../i18n";
import { neutral } from "../../markdown/neutral";
import { isLive, type RunState } from "../../run/state";
import { orMissing } from "../../ui/part";
import type { Feature } from "../feature";
import { start } from "./start";
import { checksOf, events, stored } from "./state";

const Trace = lazy(() => orMissing(import("./trace")));

const Checks = ({ run }: { run: RunState }) =>
  checksOf(run).length > 0 && (
    // Its place is kept: what is below it, and perhaps just being pressed, would move as it came.
    <Suspense fallback={<div className="checks-wait" />}>
      <Trace run={run} />
    </Suspense>
  );

function describe(run: RunState): string | null {
  const last = checksOf(run).at(-1);
  if (!isLive(run) || run.phase !== "stage3" || !last || run.synthesis.text) return null;
  if (last.action === "synthesize") {
    return t("The chairman has checked what it wanted to, and writes.");
  }
  return last.action === "search_web" && last.observation === null
    ? t("The chairman searches the web.")
    : t("The chairman checks what it is to write.");
}

export const feature = {
  ...start,
  events,
  stored,
  describe,
  notes: { final: Checks },
  copied(run: RunState, what: "all" | "final") {
    const checks = checksOf(run);
    if (what === "final" || checks.length === 0) return [];
    return [
      `## ${t("The chairman checked")}`,
      ...checks.flatMap(({ thought, query, observation }) => [
        ...(thought ? [neutral(thought)] : []),
        ...(query ? [`**${t("Search: {{query}}", { query: neutral(query) })}**`] : []),
        ...(observation ? [neutral(observation)] : []),
      ]),
    ];
  },
} satisfies Feature;
