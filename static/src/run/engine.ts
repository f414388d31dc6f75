/**
 * The one place where events become what is shown: live, resumed and stored runs go through it.
 *
 * It knows the acts that every council has (`acts.ts`); what an option adds to them is given to it.
 * Pure; returns the same object when an event changed nothing. Forgiving at run time: an event of a
 * newer server is skipped, and one that lacks a field is read as far as it goes, never thrown over.
 */
import type { AssistantMessage, CouncilEvent } from "../api/types";
import { acts } from "./acts";
import type { RunFeature } from "./feature";
import { newRun, type RunState } from "./state";
import { briefRun, eventsOf } from "./stored";

type Handler = (run: RunState, event: CouncilEvent) => RunState;

const endings: readonly CouncilEvent["type"][] = ["complete", "cancelled", "error"];

export function createEngine(features: readonly RunFeature[]) {
  const handlers = new Map<string, Handler[]>();
  const add = (type: string, handler: Handler) =>
    handlers.set(type, [...(handlers.get(type) ?? []), handler]);
  const addAll = ({ events = {}, settle }: RunFeature) => {
    // By its key each handler gets the events that it takes.
    for (const [type, handler] of Object.entries(events)) add(type, handler as Handler);
    if (settle) for (const type of endings) add(type, settle);
  };
  addAll({ events: acts });
  features.forEach(addAll);

  const reduce = (run: RunState, event: CouncilEvent): RunState =>
    (handlers.get(event.type) ?? []).reduce((now, handle) => handle(now, event), run);

  /** Many events at once: what one animation frame brought. */
  const reduceAll = (run: RunState, events: readonly CouncilEvent[]): RunState =>
    events.reduce(reduce, run);

  const read = (message: AssistantMessage, conversationId: string): RunState => {
    const { metadata, brief } = message;
    if (typeof brief === "string") return briefRun(message, brief, conversationId);
    const ended = reduceAll(newRun, eventsOf(message, conversationId));
    const run = features.reduce(
      (now, { stored }) => stored?.(now, metadata, message) ?? now,
      ended,
    );
    return {
      ...run,
      status: message.status === "queued" ? "queued" : run.status,
      hasLog: metadata.process_log === true,
      budgets: metadata.budget_warnings ?? run.budgets,
    };
  };

  const cache = new WeakMap<AssistantMessage, RunState>();
  /**
   * A stored assistant message as the state its run ended in. Remembered per message object, so that
   * a page that renders again keeps its memoised views.
   */
  const fromStored = (message: AssistantMessage, conversationId: string): RunState => {
    const run = cache.get(message) ?? read(message, conversationId);
    cache.set(message, run);
    return run;
  };

  return { reduce, reduceAll, fromStored };
}
