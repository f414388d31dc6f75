/** Several chairmen: drafts side by side, and the chairman's choice among them. */
import type { MultiChairmanEvent, Synthesis, SynthesisDraft } from "../api/types";
import { list } from "./parts";
import type { RunState } from "./state";

export interface ChairmenState {
  /** Who writes, in the order of the labels A, B, C… */
  models: readonly string[];
  drafts: readonly SynthesisDraft[];
  /** Who chooses; null until the drafts are there, or where nobody had to. */
  selector: string | null;
  /** What the chairman writes as it chooses; the whole of it but its final answer once it has. */
  evaluation: string;
  /** The label of the chosen draft. */
  selected: string | null;
  reasoning: string | null;
}

const begun: ChairmenState = {
  models: [],
  drafts: [],
  selector: null,
  evaluation: "",
  selected: null,
  reasoning: null,
};

/** As an answer that was chosen from drafts tells it; null for one that was simply written. */
export function chairmenFrom(result: Synthesis): ChairmenState | null {
  const drafts = list(result.syntheses);
  if (drafts.length === 0) return null;
  return {
    models: drafts.map((draft) => draft.model),
    drafts,
    selector: result.selected_by ?? null,
    evaluation: result.evaluation ?? "",
    selected: result.selected_synthesis ?? null,
    reasoning: result.selection_reasoning ?? null,
  };
}

const withChairmen = (
  run: RunState,
  change: (entry: ChairmenState) => Partial<ChairmenState>,
): RunState => {
  const old = run.chairmen ?? begun;
  return { ...run, phase: "stage3", chairmen: { ...old, ...change(old) } };
};

const inOrder = (drafts: readonly SynthesisDraft[]) =>
  [...drafts].sort((a, b) => (a.label ?? "").localeCompare(b.label ?? ""));

export function reduceChairmen(run: RunState, event: MultiChairmanEvent): RunState {
  switch (event.type) {
    case "multi_synthesis_start":
      return withChairmen(run, () => ({ ...begun, models: list(event.models) }));
    case "synthesis_complete": {
      const { data } = event;
      if (!data) return run;
      return withChairmen(run, ({ drafts }) => ({
        drafts: inOrder([...drafts.filter((known) => known.label !== data.label), data]),
      }));
    }
    case "multi_synthesis_complete":
      return withChairmen(run, ({ drafts }) => ({
        drafts: event.syntheses ? inOrder(list(event.syntheses)) : drafts,
      }));
    case "selection_start":
      return withChairmen(run, () => ({ selector: event.model ?? null, evaluation: "" }));
    case "selection_token":
      if (!event.content) return run;
      return withChairmen(run, (entry) =>
        entry.selected === null ? { evaluation: entry.evaluation + event.content } : {},
      );
    case "selection_complete": {
      const { data } = event;
      if (!data) return run;
      return withChairmen(run, () => ({
        selector: data.model ?? null,
        selected: data.selected_synthesis ?? null,
        evaluation: data.evaluation ?? "",
        reasoning: data.selection_reasoning ?? null,
      }));
    }
    case "selection_error":
      return {
        ...run,
        synthesis: {
          ...run.synthesis,
          failures: [
            ...run.synthesis.failures,
            { model: event.model, error: event.error, kind: event.error_kind ?? null },
          ],
        },
      };
    default: {
      const unknownEvent: never = event;
      void unknownEvent;
      return run;
    }
  }
}

/** A call that was lost and is made again: what had been written of a choice goes. */
export function restartChairmen(run: RunState): RunState {
  if (!run.chairmen || run.chairmen.selected !== null) return run;
  return withChairmen(run, () => ({ evaluation: "" }));
}
