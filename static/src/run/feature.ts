import type { AssistantMessage, CouncilEvent, Metadata } from "../api/types";
import type { RunState } from "./state";

/** What each type of event makes of a run. Pure; the same object where it changes nothing. */
export type Handlers = {
  readonly [Type in CouncilEvent["type"]]: (
    run: RunState,
    event: Extract<CouncilEvent, { type: Type }>,
  ) => RunState;
};

/** What a feature makes of a run. */
export interface RunFeature {
  /**
   * Its own events, and those of others that tell it something too. Of an event that several handle
   * the acts come first, then the features in the order of their list.
   */
  readonly events?: Partial<Handlers>;
  /** Closes whatever is still open when the run is over, however it ended. */
  readonly settle?: (run: RunState) => RunState;
  /** Reads what is stored of it with a message; what `stage…_complete` tells is there already. */
  readonly stored?: (run: RunState, metadata: Metadata, message: AssistantMessage) => RunState;
}
