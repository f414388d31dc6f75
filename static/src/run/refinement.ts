/** Refinement: critiques of the draft, and its revisions, one iteration after the other. */
import type { Critique, Iteration, Refinement, RefinementEvent } from "../api/types";
import { list, revised } from "./parts";
import type { RunState } from "./state";

export interface IterationState {
  iteration: number;
  /** How many critics were asked. */
  asked: number;
  critiques: readonly Critique[];
  /** The revision as far as it has come; whole when `done`. */
  text: string;
  /** `stopped`: over without a revision, and `reason` says why. */
  status: "critiques" | "revising" | "done" | "stopped";
  reason: string | null;
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

function iterationFrom(stored: Iteration): IterationState {
  const critiques = list(stored.critiques);
  return {
    iteration: stored.iteration,
    asked: critiques.length,
    critiques,
    text: stored.revision ?? stored.unfinished_revision ?? "",
    status: (stored.revision ?? null) !== null ? "done" : "stopped",
    reason: stored.stop_reason ?? null,
  };
}

export const refinementFrom = (stored: Refinement): RefinementState => ({
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
  const refinement = run.refinement ?? begun;
  const { iterations } = refinement;
  const at = iterations.findIndex((entry) => entry.iteration === iteration);
  const old = iterations[at] ?? emptyIteration(iteration);
  const next = { ...old, ...change(old) };
  return {
    ...run,
    phase: "refinement",
    refinement: {
      ...refinement,
      iterations: at < 0 ? [...iterations, next] : iterations.with(at, next),
    },
  };
}

export function reduceRefinement(run: RunState, event: RefinementEvent): RunState {
  switch (event.type) {
    case "refinement_start":
      return {
        ...run,
        phase: "refinement",
        refinement: { ...begun, maxIterations: event.max_iterations ?? 0 },
      };
    case "iteration_start":
      return withIteration(run, event.iteration, () => ({}));
    case "critiques_start":
      return withIteration(run, event.iteration, () => ({ asked: event.model_count ?? 0 }));
    case "critique_complete": {
      const { type: _type, iteration, ...critique } = event;
      return withIteration(run, iteration, ({ critiques }) => ({
        critiques: [...critiques.filter((known) => known.member !== critique.member), critique],
      }));
    }
    case "critiques_complete":
      return withIteration(run, event.iteration, ({ critiques }) => ({
        critiques: event.critiques ? list(event.critiques) : critiques,
      }));
    case "revision_start":
      return withIteration(run, event.iteration, () => ({ status: "revising", text: "" }));
    case "revision_token":
      if (!event.content) return run;
      return withIteration(run, event.iteration, (entry) =>
        entry.status === "done" ? {} : { status: "revising", text: entry.text + event.content },
      );
    case "revision_complete":
      if (typeof event.content !== "string") return run;
      return revised(
        withIteration(run, event.iteration, () => ({ status: "done", text: event.content })),
        event.content,
      );
    case "revision_error":
      return withIteration(run, event.iteration, () => ({
        status: "stopped",
        reason: event.error ?? null,
      }));
    case "iteration_complete":
      return withIteration(run, event.iteration, (entry) => ({
        status: (event.revision ?? null) === null ? "stopped" : "done",
        text: event.revision ?? entry.text,
        reason: event.stop_reason ?? entry.reason,
      }));
    case "refinement_converged": {
      const next = withIteration(run, event.iteration, () => ({
        status: "stopped",
        reason: event.reason ?? null,
      }));
      return next.refinement
        ? { ...next, refinement: { ...next.refinement, converged: true } }
        : next;
    }
    case "refinement_complete":
      return revised(
        { ...run, phase: "refinement", refinement: refinementFrom(event) },
        event.final_response,
      );
    default: {
      const unknownEvent: never = event;
      void unknownEvent;
      return run;
    }
  }
}

/** A call that was lost and is made again: a half-written revision goes. */
export function restartRefinement(run: RunState): RunState {
  const last = run.refinement?.iterations.at(-1);
  if (last?.status !== "revising") return run;
  return withIteration(run, last.iteration, () => ({ text: "" }));
}

/** As it stands when the run is over, however it ended. */
export function settleRefinement(refinement: RefinementState | null): RefinementState | null {
  if (!refinement || refinement.done) return refinement;
  return {
    ...refinement,
    done: true,
    iterations: refinement.iterations.map((entry) =>
      entry.status === "done" ? entry : { ...entry, status: "stopped" },
    ),
  };
}

/** The answer as it stood before an iteration, or before the devil's advocate (without one). */
export function draftBefore(run: RunState, iteration = Number.POSITIVE_INFINITY): string {
  const revisions = (run.refinement?.iterations ?? []).filter(
    (entry) => entry.iteration < iteration && entry.status === "done",
  );
  const { result, text } = run.synthesis;
  return revisions.at(-1)?.text ?? result?.draft ?? result?.response ?? text;
}
