/** What the chairman checks before it writes: a thought, a search, what was found, and again. */
import type { Metadata, Schemas } from "../../api/types";
import type { Handlers } from "../../run/feature";
import { list } from "../../run/parts";
import { sliceOf } from "../../run/slice";
import type { RunState } from "../../run/state";

type CheckStep = Schemas["CheckStep"];

/** One search, with the thought before it, or the decision to write. */
export interface Check {
  /** Who checks: not the chairman alone, where others write in its place. */
  model: string;
  /** The turn, from 1. A turn with several searches has several checks. */
  iteration: number;
  thought: string;
  action: "search_web" | "synthesize" | null;
  query: string;
  /** Null as long as nothing came back. */
  observation: string | null;
  /** Numbers of sources. */
  found: readonly number[];
  error: string | null;
}

const slice = sliceOf<readonly Check[]>("react", []);
/** Empty where nobody checked anything. */
export const checksOf = slice.of;

type Turn = Pick<Check, "model" | "iteration">;

const begun = ({ model, iteration }: Turn): Check => ({
  model,
  iteration,
  thought: "",
  action: null,
  query: "",
  observation: null,
  found: [],
  error: null,
});

/** It happens in the place of the final answer, which is being written from then on. */
function withChecks(run: RunState, checks: readonly Check[]): RunState {
  const { synthesis } = run;
  const isBegun = synthesis.status !== "waiting";
  return slice.with(
    isBegun ? run : { ...run, phase: "stage3", synthesis: { ...synthesis, status: "writing" } },
    checks,
  );
}

/** The place of the last check of this turn; -1 for none. */
const lastOf = (checks: readonly Check[], { model, iteration }: Turn) =>
  checks.findLastIndex((one) => one.model === model && one.iteration === iteration);

const from = (step: CheckStep): Check => ({
  model: step.model ?? "",
  iteration: step.iteration,
  thought: step.thought ?? "",
  action: step.action ?? null,
  query: step.query ?? "",
  observation: step.observation ?? null,
  found: list(step.sources),
  error: step.error ?? null,
});

export const events = {
  react_thought: (run, event) =>
    withChecks(run, [...slice.of(run), { ...begun(event), thought: event.thought ?? "" }]),
  react_action: (run, event) => {
    const checks = slice.of(run);
    const at = lastOf(checks, event);
    const old = checks[at];
    const done = { action: event.action ?? null, query: event.query ?? "" };
    return withChecks(
      run,
      old?.action === null
        ? checks.with(at, { ...old, ...done })
        : [...checks, { ...begun(event), ...done }],
    );
  },
  react_observation: (run, event) => {
    const checks = slice.of(run);
    const at = lastOf(checks, event);
    const old = checks[at];
    if (!old) return run;
    const seen = {
      observation: event.observation ?? "",
      found: list(event.sources).map(({ n }) => n),
      error: event.error ?? null,
    };
    return withChecks(run, checks.with(at, { ...old, ...seen }));
  },
} satisfies Partial<Handlers>;

export const stored = (run: RunState, { react }: Metadata): RunState =>
  react?.length ? slice.with(run, react.map(from)) : run;
