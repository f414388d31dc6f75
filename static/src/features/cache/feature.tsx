/** An earlier answer to the same question is taken, or offered, before the council is asked. */
import { lazy, Suspense } from "react";
import { msg, t } from "../../i18n";
import { isLive, type RunState } from "../../run/state";
import { orMissing } from "../../ui/part";
import type { Feature } from "../feature";
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

export const cache = {
  name: "cache",
  title: msg("Reuse earlier answers"),
  events,
  settle,
  stored,
  option: {
    field: "use_cache",
    group: "answers",
    everyFormat: true,
    amount: {
      field: "cache_similarity_threshold",
      byDefault: 0.92,
      least: 0.5,
      most: 1,
      fraction: true,
    },
    way: {
      field: "cache_mode",
      byDefault: "offer",
      byServer: "serve",
      values: ["offer", "serve", "exact"],
    },
    chip: ({ cache_mode }) =>
      cache_mode === "serve"
        ? t("Reuse answers without asking")
        : cache_mode === "exact"
          ? t("Reuse answers to the same text")
          : t("Reuse earlier answers"),
    obstacle: ({ features }) => (features.cache ? null : t("This server keeps no answers.")),
    isForServer: true,
  },
  stage: { key: "cache", place: "first", isIn: (run) => cacheOf(run) !== null },
  describe(run) {
    const status = isLive(run) && cacheOf(run)?.status;
    if (status === "looking") return t("Looking for an earlier answer.");
    if (status !== "offered") return null;
    return t("There is an earlier answer. You can use it, or ask the council anyway.");
  },
  notes: { head: Head },
  section: {
    of(run) {
      const state = cacheOf(run);
      return state?.status === "miss" ? state : null;
    },
    summary: () => t("none was used"),
    Panel: lazy(() => orMissing(import("./panel"))),
  },
  page: { path: "/answers", View: lazy(() => orMissing(import("./page"))) },
} satisfies Feature;
