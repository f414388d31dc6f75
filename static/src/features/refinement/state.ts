/** Refinement: critiques of the draft, and its revisions, one iteration after the other. */
import type { Metadata, Schemas } from "../../api/types";
import type { Handlers } from "../../run/feature";
import { list, revised } from "../../run/parts";
import { sliceOf } from "../../run/slice";
import type { RunState } from "../../run/state";

export type Critique = Schemas["Critique"];

export interface IterationState {
  iteration: number;
  /** How many critics were asked. */
  asked: number;
  critiques: readonly Critique[];
  /** The revision as far as it has come; whole when `done`. */
  text: string;
  /** `stopped`: over without a revision, and `reason` says why. */
  status: "critiques" | "revising" | "done" | "stopped";
  reason: { text: string; fact: Schemas["RefinementFact"] | null } | null;
}

export interface RefinementState {
  maxIterations: number;
  iterations: readonly IterationState[];
  converged: boolean;
  done: boolean;
  /** USD; null when nothing of it is known. */
  cost: number | null;
  unknownCostCalls: number;
}

const slice = sliceOf<RefinementState | null>("refinement", null);
/** Null where the draft is not refined. */
export const refinementOf = slice.of;

const begun: RefinementState = {
  maxIterations: 0,
  iterations: [],
  converged: false,
  done: false,
  cost: null,
  unknownCostCalls: 0,
};

const emptyIteration = (iteration: number): IterationState => ({
  iteration,
  asked: 0,
  critiques: [],
  text: "",
  status: "critiques",
  reason: null,
});

function iterationFrom(stored: Schemas["Iteration"]): IterationState {
  const critiques = list(stored.critiques);
  return {
    iteration: stored.iteration,
    asked: critiques.length,
    critiques,
    text: stored.revision ?? stored.unfinished_revision ?? "",
    status: (stored.revision ?? null) !== null ? "done" : "stopped",
    reason: stored.stop_reason
      ? { text: stored.stop_reason, fact: stored.stop_reason_fact ?? null }
      : null,
  };
}

const refinementFrom = (stored: Schemas["Refinement"]): RefinementState => ({
  maxIterations: stored.max_iterations ?? 0,
  iterations: list(stored.iterations).map(iterationFrom),
  converged: stored.converged === true,
  done: true,
  cost: stored.total_cost ?? null,
  unknownCostCalls: stored.unknown_cost_calls ?? 0,
});

function withIteration(
  run: RunState,
  iteration: number,
  change: (entry: IterationState) => Partial<IterationState>,
): RunState {
  const refinement = slice.of(run) ?? begun;
  const { iterations } = refinement;
  const at = iterations.findIndex((entry) => entry.iteration === iteration);
  const old = iterations[at] ?? emptyIteration(iteration);
  const next = { ...old, ...change(old) };
  return slice.with(
    { ...run, phase: "refinement" },
    { ...refinement, iterations: at < 0 ? [...iterations, next] : iterations.with(at, next) },
  );
}

export const events = {
  refinement_start: (run, event) =>
    slice.with(
      { ...run, phase: "refinement" },
      { ...begun, maxIterations: event.max_iterations ?? 0 },
    ),
  iteration_start: (run, event) => withIteration(run, event.iteration, () => ({})),
  critiques_start: (run, event) =>
    withIteration(run, event.iteration, () => ({ asked: event.model_count ?? 0 })),
  critique_complete: (run, event) => {
    const { type: _type, iteration, ...critique } = event;
    return withIteration(run, iteration, ({ critiques }) => ({
      critiques: [...critiques.filter((known) => known.member !== critique.member), critique],
    }));
  },
  critiques_complete: (run, event) =>
    withIteration(run, event.iteration, ({ critiques }) => ({
      critiques: event.critiques ? list(event.critiques) : critiques,
    })),
  revision_start: (run, event) =>
    withIteration(run, event.iteration, () => ({ status: "revising", text: "" })),
  revision_token: (run, event) => {
    if (!event.content) return run;
    return withIteration(run, event.iteration, (entry) =>
      entry.status === "done" ? {} : { status: "revising", text: entry.text + event.content },
    );
  },
  revision_complete: (run, event) => {
    if (typeof event.content !== "string") return run;
    return revised(
      withIteration(run, event.iteration, () => ({ status: "done", text: event.content })),
      event.content,
    );
  },
  revision_error: (run, event) =>
    withIteration(run, event.iteration, () => {
      const { model, error, error_kind, error_fact } = event;
      const fact = {
        code: "not_revised" as const,
        model: model ?? "",
        reason: { error, error_kind, error_fact },
      };
      return { status: "stopped", reason: { text: error ?? "", fact } };
    }),
  iteration_complete: (run, event) =>
    withIteration(run, event.iteration, (entry) => ({
      status: (event.revision ?? null) === null ? "stopped" : "done",
      text: event.revision ?? entry.text,
      reason: event.stop_reason
        ? { text: event.stop_reason, fact: event.stop_reason_fact ?? null }
        : entry.reason,
    })),
  refinement_converged: (run, event) => {
    const next = withIteration(run, event.iteration, () => ({
      status: "stopped",
      reason: event.reason ? { text: event.reason, fact: event.reason_fact ?? null } : null,
    }));
    return slice.with(next, { ...(slice.of(next) ?? begun), converged: true });
  },
  refinement_complete: (run, event) =>
    revised(
      slice.with({ ...run, phase: "refinement" }, refinementFrom(event)),
      event.final_response,
    ),
  // A call that was lost and is made again: a half-written revision goes.
  call_restarted: (run, event) => {
    const last = slice.of(run)?.iterations.at(-1);
    if (event.stage !== "refinement" || last?.status !== "revising") return run;
    return withIteration(run, last.iteration, () => ({ text: "" }));
  },
} satisfies Partial<Handlers>;

export function settle(run: RunState): RunState {
  const refinement = slice.of(run);
  if (!refinement || refinement.done) return run;
  return slice.with(run, {
    ...refinement,
    done: true,
    iterations: refinement.iterations.map((entry) =>
      entry.status === "done" ? entry : { ...entry, status: "stopped" },
    ),
  });
}

export const stored = (run: RunState, { refinement }: Metadata): RunState =>
  refinement ? slice.with(run, refinementFrom(refinement)) : run;
