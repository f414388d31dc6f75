import type { AssistantMessage } from "../api/types";
import { Deliberation } from "../features/council/deliberation";
import { fromStored } from "../features/reducer";
import type { RunState } from "../run/state";
import { render } from "./render";
import { answer, seats, storedRun, synthesis } from "./samples";

/** Draws the deliberation of a stored run with this in its metadata. */
export function deliberation(
  metadata: Partial<AssistantMessage["metadata"]>,
  final = synthesis(),
  more: Partial<RunState> = {},
): Promise<HTMLElement> {
  const message = storedRun(
    seats.map((seat) => answer(seat)),
    [],
    final,
  );
  const stored = { ...message, metadata: { ...message.metadata, ...metadata } };
  const run = { ...fromStored(stored, "c1"), runId: null, ...more };
  return render(
    <Deliberation question="Why?" run={run} live={null} latest onReattach={() => undefined} />,
  );
}
