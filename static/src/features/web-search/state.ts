/** One search before the answers, which every member reads. */
import type { Metadata, Schemas } from "../../api/types";
import type { Handlers } from "../../run/feature";
import { sliceOf } from "../../run/slice";
import type { RunState } from "../../run/state";

type WebSearch = Schemas["WebSearch"];

export interface WebSearchState {
  query: string;
  /** `stopped`: the run ended in the middle of it. */
  status: "searching" | "done" | "stopped";
  result: WebSearch | null;
}

const slice = sliceOf<WebSearchState | null>("web-search", null);
/** Null where nobody asked for it. */
export const webSearchOf = slice.of;

const from = (result: WebSearch): WebSearchState => ({
  query: result.query ?? "",
  status: "done",
  result,
});

export const events = {
  web_search_start: (run, { query = "" }) =>
    slice.with(
      { ...run, status: "running", phase: "search", queuePosition: null },
      { query, status: "searching", result: null },
    ),
  web_search_complete: (run, { data }) =>
    data
      ? slice.with(run, from({ ...data, query: data.query ?? slice.of(run)?.query ?? "" }))
      : run,
} satisfies Partial<Handlers>;

export function settle(run: RunState): RunState {
  const state = slice.of(run);
  return state?.status === "searching" ? slice.with(run, { ...state, status: "stopped" }) : run;
}

export const stored = (run: RunState, { web_search }: Metadata): RunState =>
  web_search ? slice.with(run, from(web_search)) : run;
