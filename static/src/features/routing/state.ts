/** Routing: what kind of question it is, and who answers it for that. */
import type { Metadata, Schemas } from "../../api/types";
import type { Handlers } from "../../run/feature";
import { sliceOf } from "../../run/slice";
import type { RunState } from "../../run/state";

export type RoutingInfo = Schemas["RoutingInfo"];
/** The kinds of questions that it tells apart. */
export type Category = Schemas["Category"];

const slice = sliceOf<RoutingInfo | null>("routing", null);
/** Who answers, and why; null where the whole council does, or until it is known. */
export const routingOf = slice.of;

export const events = {
  routing_start: (run) => ({ ...run, status: "running", phase: "routing", queuePosition: null }),
  routing_complete: (run, event) => (event.data ? slice.with(run, event.data) : run),
} satisfies Partial<Handlers>;

export const stored = (run: RunState, { routing_info }: Metadata): RunState =>
  routing_info ? slice.with(run, routing_info) : run;
