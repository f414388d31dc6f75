/** Several chairmen: drafts side by side, and the chairman's choice among them. */
import type { Schemas, Synthesis } from "../../api/types";
import type { Handlers } from "../../run/feature";
import { failureFrom, list } from "../../run/parts";
import { sliceOf } from "../../run/slice";
import type { RunState } from "../../run/state";

export type SynthesisDraft = Schemas["SynthesisDraft"];

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

const slice = sliceOf<ChairmenState | null>("chairmen", null);
/** Null where one chairman writes. */
export const chairmenOf = slice.of;

const begun: ChairmenState = {
  models: [],
  drafts: [],
  selector: null,
  evaluation: "",
  selected: null,
  reasoning: null,
};

/** As an answer that was chosen from drafts tells it; null for one that was simply written. */
function chairmenFrom(result: Synthesis): ChairmenState | null {
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
  const old = slice.of(run) ?? begun;
  return slice.with({ ...run, phase: "stage3" }, { ...old, ...change(old) });
};

const inOrder = (drafts: readonly SynthesisDraft[]) =>
  [...drafts].sort((a, b) => (a.label ?? "").localeCompare(b.label ?? ""));

export const events = {
  multi_synthesis_start: (run, event) =>
    withChairmen(run, () => ({ ...begun, models: list(event.models) })),
  synthesis_complete: (run, { data }) => {
    // In another format it is the answer itself, which has no label.
    if (!data || !("label" in data)) return run;
    return withChairmen(run, ({ drafts }) => ({
      drafts: inOrder([...drafts.filter((known) => known.label !== data.label), data]),
    }));
  },
  multi_synthesis_complete: (run, event) =>
    withChairmen(run, ({ drafts }) => ({
      drafts: event.syntheses ? inOrder(list(event.syntheses)) : drafts,
    })),
  selection_start: (run, event) =>
    withChairmen(run, () => ({ selector: event.model ?? null, evaluation: "" })),
  selection_token: (run, event) => {
    if (!event.content) return run;
    return withChairmen(run, (entry) =>
      entry.selected === null ? { evaluation: entry.evaluation + event.content } : {},
    );
  },
  selection_complete: (run, { data }) => {
    if (!data) return run;
    return withChairmen(run, () => ({
      selector: data.model ?? null,
      selected: data.selected_synthesis ?? null,
      evaluation: data.evaluation ?? "",
      reasoning: data.selection_reasoning ?? null,
    }));
  },
  selection_error: (run, event) => ({
    ...run,
    synthesis: {
      ...run.synthesis,
      failures: [...run.synthesis.failures, failureFrom(event)],
    },
  }),
  stage3_complete: (run, { data }) => {
    const chairmen = data && chairmenFrom(data);
    return chairmen ? slice.with(run, chairmen) : run;
  },
  // A call that was lost and is made again: what had been written of a choice goes.
  call_restarted: (run, event) => {
    if (event.stage !== "stage3" || slice.of(run)?.selected !== null) return run;
    return withChairmen(run, () => ({ evaluation: "" }));
  },
} satisfies Partial<Handlers>;
