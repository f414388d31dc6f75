/** A stored assistant message as the events of its run, or as the state that it ended in. */
import type { AggregateConfidence, AssistantMessage, CouncilEvent } from "../api/types";
import { seatOf } from "./parts";
import { newRun, noSynthesis, type RunState } from "./state";

const noConfidence: AggregateConfidence = { count: 0, total_models: 0, distribution: {} };

/** Of a message that was read briefly: what led to this text comes later. */
export function briefRun(
  { id, run_id, status }: AssistantMessage,
  text: string,
  conversationId: string,
): RunState {
  const isOver = status !== "queued" && status !== "running";
  return {
    ...newRun,
    runId: run_id ?? "",
    conversationId,
    messageId: id,
    status: status ?? "complete",
    phase: isOver ? "ended" : "waiting",
    synthesis: { ...noSynthesis, text },
    brief: true,
  };
}

/** The events that would have led to this message; what the run did not reach is left out. */
export function eventsOf(message: AssistantMessage, conversationId: string): CouncilEvent[] {
  const { stage1, stage2, stage3, metadata } = message;
  const aggregate_confidence = metadata.aggregate_confidence ?? noConfidence;
  const events: CouncilEvent[] = [
    {
      type: "run_started",
      run_id: message.run_id ?? "",
      conversation_id: conversationId,
      message_id: message.id,
      ignored: metadata.ignored,
      prompts: metadata.prompts,
    },
  ];
  if (stage1) {
    events.push(
      // Without what options say in it: that is for them to read from the message.
      { type: "stage1_start", members: stage1.map(seatOf) } as CouncilEvent,
      { type: "stage1_complete", data: stage1, metadata: { aggregate_confidence } },
    );
  }
  if (stage2) {
    events.push(
      { type: "stage2_start", members: stage2 },
      { type: "stage2_complete", data: stage2, metadata },
    );
  }
  if (stage3) events.push({ type: "stage3_complete", data: stage3 });
  if (metadata.costs) events.push({ type: "costs_complete", data: metadata.costs });
  switch (message.status) {
    case null:
    case undefined: // A conversation brought along from elsewhere had no run here.
    case "complete":
      events.push({ type: "complete" });
      break;
    case "cancelled":
      events.push({
        type: "cancelled",
        message: message.error ?? null,
        error_kind: message.error_kind ?? null,
      });
      break;
    case "failed":
      events.push({
        type: "error",
        message: message.error ?? "",
        error_kind: message.error_kind ?? null,
      });
      break;
    case "queued":
    case "running":
      break;
  }
  return events;
}
