/** A stored assistant message as the state its run ended in. */
import type { AggregateConfidence, AssistantMessage, CouncilEvent } from "../api/types";
import { adversaryFrom } from "./adversary";
import { reduceAll } from "./reduce";
import { refinementFrom } from "./refinement";
import { newRun, type RunState } from "./state";

const noConfidence: AggregateConfidence = { count: 0, total_models: 0, distribution: {} };

/** The events that would have led to this message; what the run did not reach is left out. */
function eventsOf(message: AssistantMessage, conversationId: string): CouncilEvent[] {
  const { stage1, stage2, stage3, metadata } = message;
  const aggregate_confidence = metadata.aggregate_confidence ?? noConfidence;
  const ballots = {
    label_to_model: metadata.label_to_model ?? {},
    label_to_member: metadata.label_to_member ?? {},
    aggregate_rankings: metadata.aggregate_rankings,
    aggregate: metadata.aggregate,
    weights_info: metadata.weights_info,
    escalation_info: metadata.escalation_info,
  };
  const events: CouncilEvent[] = [
    {
      type: "run_started",
      run_id: message.run_id ?? "",
      conversation_id: conversationId,
      message_id: message.id,
      ignored: metadata.ignored,
    },
  ];
  if (metadata.routing_info) {
    events.push({ type: "routing_complete", data: metadata.routing_info });
  }
  if (stage1) {
    const use_cot = stage1.some((answer) => Boolean(answer.cot));
    events.push(
      { type: "stage1_start", members: stage1, use_cot },
      { type: "stage1_complete", data: stage1, metadata: { aggregate_confidence } },
    );
  }
  if (stage2) {
    events.push(
      { type: "stage2_start", members: stage2 },
      { type: "stage2_complete", data: stage2, metadata: ballots },
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
      events.push({ type: "cancelled" });
      break;
    case "failed":
      events.push({ type: "error", message: message.error ?? "" });
      break;
    case "queued":
    case "running":
      break;
  }
  return events;
}

const cache = new WeakMap<AssistantMessage, RunState>();

/** Remembered per message object, so that a page that renders again keeps its memoised views. */
export function fromStored(message: AssistantMessage, conversationId: string): RunState {
  let run = cache.get(message);
  if (!run) {
    const { refinement, adversary, budget_warnings, escalation_info, consensus_info } =
      message.metadata;
    run = { ...reduceAll(newRun, eventsOf(message, conversationId)) };
    // What betters the draft is stored whole, as its last event tells it.
    if (refinement) run.refinement = refinementFrom(refinement);
    run.hasLog = message.metadata.process_log === true;
    if (escalation_info) run.escalation = escalation_info;
    if (consensus_info) run.consensus = consensus_info;
    if (budget_warnings) run.budgets = budget_warnings;
    if (adversary) run.adversary = adversaryFrom(adversary);
    if (message.status === "queued") run.status = "queued";
    cache.set(message, run);
  }
  return run;
}
