/** The sources of a run, whoever found them: each under its number. */
import type { AssistantMessage, FoundSource, Metadata } from "../../api/types";
import type { Handlers } from "../../run/feature";
import { list } from "../../run/parts";
import { sliceOf } from "../../run/slice";
import type { RunState } from "../../run/state";

const slice = sliceOf<readonly FoundSource[]>("sources", []);
/** By number, each once. */
export const sourcesOf = slice.of;

function add(run: RunState, found: FoundSource[] | null | undefined): RunState {
  const known = new Set(slice.of(run).map(({ n }) => n));
  const fresh = list(found).filter(({ n }) => Number.isInteger(n) && !known.has(n));
  if (fresh.length === 0) return run;
  // Two that found the same bring the same number.
  const byNumber = new Map([...slice.of(run), ...fresh].map((source) => [source.n, source]));
  return slice.with(
    run,
    [...byNumber.values()].toSorted((a, b) => a.n - b.n),
  );
}

const ofTopics = (run: RunState, results: { sources?: FoundSource[] }[] | null | undefined) =>
  list(results).reduce((now, { sources }) => add(now, sources), run);

export const events = {
  web_search_complete: (run, { data }) => add(run, data?.sources),
  stage0_sub_result: (run, { data }) => add(run, data?.result?.sources),
  stage0_complete: (run, { data }) => ofTopics(run, data?.sub_results),
  stage1_tool_result: (run, { sources }) => add(run, sources),
  tool_result: (run, { sources }) => add(run, sources),
  react_observation: (run, { sources }) => add(run, sources),
} satisfies Partial<Handlers>;

export const stored = (
  run: RunState,
  { sources, web_search }: Metadata,
  { stage0 }: AssistantMessage,
): RunState => ofTopics(add(add(run, sources), web_search?.sources), stage0?.sub_results);
