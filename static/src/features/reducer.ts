/** The engine with every feature in it: what makes the state of a run that the page shows. */
import type { CouncilEvent } from "../api/types";
import type { acts } from "../run/acts";
import { createEngine } from "../run/engine";
import { features } from ".";
import type { Listed } from "./list";

type EventsOf<F> = F extends { events: infer Events } ? keyof Events : never;

/** Events of the server without a handler: none. A new one does not compile until it has one. */
const unhandled: Record<
  Exclude<CouncilEvent["type"], keyof typeof acts | EventsOf<Listed>>,
  never
> = {};
void unhandled;

export const { reduce, reduceAll, fromStored } = createEngine(features);
