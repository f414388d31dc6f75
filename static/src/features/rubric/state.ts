/** By which criteria the reviewers of a run judge, as they were when it was asked. */
import type { Metadata, Schemas } from "../../api/types";
import type { Handlers } from "../../run/feature";
import { sliceOf } from "../../run/slice";
import type { RunState } from "../../run/state";

export type Rubric = Schemas["Rubric"];

const slice = sliceOf<Rubric | null>("rubric", null);
/** Null where no rubric was given. */
export const rubricOf = slice.of;

const told = (run: RunState, rubric: Rubric | null | undefined): RunState =>
  rubric?.text ? slice.with(run, rubric) : run;

export const events = {
  run_started: (run, { rubric }) => told(run, rubric),
} satisfies Partial<Handlers>;

export const stored = (run: RunState, { rubric }: Metadata) => told(run, rubric);
