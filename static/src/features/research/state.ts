/** Research before the answers: the question's topics, and what was found of each. */
import type { AssistantMessage, Schemas } from "../../api/types";
import type { Handlers } from "../../run/feature";
import { list } from "../../run/parts";
import { sliceOf } from "../../run/slice";
import type { RunState } from "../../run/state";

type Finding = Schemas["ResearchFinding"];

export interface Topic {
  label: string;
  query: string;
  /** Null as long as it is being looked for. */
  result: Finding | null;
}

export interface ResearchState {
  model: string | null;
  /** `stopped`: the run ended in the middle of it. */
  status: "splitting" | "searching" | "compiling" | "done" | "stopped";
  topics: readonly Topic[];
  /** Whether anything was found. */
  found: boolean;
  /** The findings as the members read them; null for none. */
  response: string | null;
  /** The question needs none. */
  needless: boolean;
  /** It was searched for as it is, because nobody could name its topics. */
  isWhole: boolean;
  /** Why every search failed; null where one did not. */
  failure: string | null;
  simulated: boolean;
}

const slice = sliceOf<ResearchState | null>("research", null);
/** Null where nobody asked for it. */
export const researchOf = slice.of;

const begun: ResearchState = {
  model: null,
  status: "splitting",
  topics: [],
  found: false,
  response: null,
  needless: false,
  isWhole: false,
  failure: null,
  simulated: false,
};

const withState = (run: RunState, change: Partial<ResearchState>): RunState =>
  slice.with(
    { ...run, status: "running", phase: "stage0", queuePosition: null },
    { ...(slice.of(run) ?? begun), ...change },
  );

/** The topics, with what was found of them so far. */
function named(run: RunState, queries: { label: string; query: string }[] | null | undefined) {
  const before = slice.of(run)?.topics ?? [];
  return list(queries).map(({ label, query }, at): Topic => {
    const known = before[at];
    return { label, query, result: known?.query === query ? known.result : null };
  });
}

function from(data: Schemas["ResearchResult"]): ResearchState {
  const results = list(data.sub_results);
  const topics = results.map((result) => ({ label: result.label, query: result.query, result }));
  return {
    model: data.model ?? null,
    status: "done",
    topics:
      topics.length > 0 ? topics : list(data.sub_queries).map((one) => ({ ...one, result: null })),
    found: data.has_research === true,
    response: data.response ?? null,
    needless: data.needed === false,
    isWhole: Boolean(data.not_split),
    failure: data.error ?? null,
    simulated: data.simulated === true,
  };
}

export const events = {
  stage0_start: (run, { model }) => withState(run, { ...begun, model: model ?? null }),
  stage0_decomposing: (run) => withState(run, { status: "splitting" }),
  stage0_sub_queries: (run, { data }) => withState(run, { topics: named(run, data?.sub_queries) }),
  stage0_researching: (run, { data }) =>
    withState(run, {
      status: "searching",
      topics: data?.sub_queries ? named(run, data.sub_queries) : (slice.of(run)?.topics ?? []),
    }),
  stage0_sub_result: (run, { data }) => {
    const result = data?.result;
    if (!result) return run;
    const topics = slice.of(run)?.topics ?? [];
    const topic = { label: result.label, query: result.query, result };
    return withState(run, {
      topics: topics[data.index] ? topics.with(data.index, topic) : [...topics, topic],
    });
  },
  stage0_synthesizing: (run) => withState(run, { status: "compiling" }),
  stage0_complete: (run, { data }) => (data ? withState(run, from(data)) : run),
} satisfies Partial<Handlers>;

export function settle(run: RunState): RunState {
  const state = slice.of(run);
  if (!state || state.status === "done") return run;
  return slice.with(run, { ...state, status: "stopped" });
}

export const stored = (run: RunState, _: unknown, { stage0 }: AssistantMessage): RunState =>
  stage0 ? slice.with(run, from(stage0)) : run;
