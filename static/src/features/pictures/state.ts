/** Which pictures the question of a run came with, and which models were shown them. */
import type { Metadata, Schemas } from "../../api/types";
import type { Handlers } from "../../run/feature";
import { sliceOf } from "../../run/slice";
import type { RunState } from "../../run/state";

export type Pictures = Schemas["PicturesInfo"];

const slice = sliceOf<Pictures | null>("pictures", null);
/** Null where it came with none. */
export const picturesOf = slice.of;

const told = (run: RunState, pictures: Pictures | null | undefined): RunState =>
  pictures ? slice.with(run, pictures) : run;

export const events = {
  run_started: (run, { pictures }) => told(run, pictures),
} satisfies Partial<Handlers>;

export const stored = (run: RunState, { pictures }: Metadata) => told(run, pictures);
