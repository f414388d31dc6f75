/** Early consensus: whether the council agreed so much that nobody had to write. */
import type { Metadata, Schemas } from "../../api/types";
import type { Handlers } from "../../run/feature";
import { sliceOf } from "../../run/slice";
import type { RunState } from "../../run/state";

export type ConsensusInfo = Schemas["ConsensusInfo"];

const slice = sliceOf<ConsensusInfo | null>("consensus", null);
/** Null where it was not asked for, or until it is known. */
export const consensusOf = slice.of;

const told = (run: RunState, info: ConsensusInfo | null | undefined): RunState =>
  info ? slice.with(run, info) : run;

export const events = {
  consensus_detected: (run, event) =>
    event.data ? told({ ...run, phase: "stage3" }, event.data) : run,
  stage3_complete: (run, event) => (event.data ? told(run, event.consensus_info) : run),
} satisfies Partial<Handlers>;

export const stored = (run: RunState, metadata: Metadata) => told(run, metadata.consensus_info);
