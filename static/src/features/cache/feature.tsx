/** An earlier answer to the same question is taken, or offered, before the council is asked. */
import { lazy, Suspense } from "react";
import { t } from "../../i18n";
import { isLive, type RunState } from "../../run/state";
import { orMissing } from "../../ui/part";
import type { Feature } from "../feature";
import { start } from "./start";
import { cacheOf, events, settle, stored } from "./state";

const Earlier = lazy(() => orMissing(import("./earlier")));

function Head({ run }: { run: RunState }) {
  const state = cacheOf(run);
  if (!state || state.status === "miss") return null;
  return (
    <Suspense fallback={null}>
      <Earlier run={run} state={state} />
    </Suspense>
  );
}

export const feature = {
  ...start,
  events,
  settle,
  stored,
  stage: { key: "cache", place: "first", isIn: (run) => cacheOf(run) !== null },
  describe(run) {
    const status = isLive(run) && cacheOf(run)?.status;
    if (status === "looking") return t("Looking for an earlier answer.");
    if (status !== "offered") return null;
    return t("There is an earlier answer. You can use it, or ask the council anyway.");
  },
  askedAgainWhole: (run) => cacheOf(run)?.status === "hit",
  notes: { head: Head },
  section: {
    of(run) {
      const state = cacheOf(run);
      return state?.status === "miss" ? state : null;
    },
    summary: () => t("none was used"),
    Panel: lazy(() => orMissing(import("./panel"))),
  },
} satisfies Feature;
