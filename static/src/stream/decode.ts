/** Bytes of a `text/event-stream` body to events, however the network cut them. */
import { createParser } from "eventsource-parser";
import type { CouncilEvent } from "../api/types";

export interface Frame {
  /** The run's sequence number; null for frames outside the count (`server_shutdown`). */
  seq: number | null;
  event: CouncilEvent;
}

/** The types this release knows. A record, so that the compiler asks for the one that is missing. */
const known: Record<CouncilEvent["type"], true> = {
  run_started: true,
  run_queued: true,
  routing_start: true,
  routing_complete: true,
  stage1_start: true,
  stage1_token: true,
  stage1_reasoning_token: true,
  stage1_model_complete: true,
  stage1_error: true,
  stage1_complete: true,
  stage2_start: true,
  stage2_model_complete: true,
  stage2_complete: true,
  stage3_start: true,
  stage3_token: true,
  stage3_reasoning_token: true,
  stage3_error: true,
  stage3_complete: true,
  tier1_start: true,
  tier1_complete: true,
  escalation_triggered: true,
  tier2_start: true,
  consensus_detected: true,
  multi_synthesis_start: true,
  synthesis_complete: true,
  multi_synthesis_complete: true,
  selection_start: true,
  selection_token: true,
  selection_complete: true,
  selection_error: true,
  refinement_start: true,
  iteration_start: true,
  critiques_start: true,
  critique_complete: true,
  critiques_complete: true,
  revision_start: true,
  revision_token: true,
  revision_complete: true,
  revision_error: true,
  iteration_complete: true,
  refinement_converged: true,
  refinement_complete: true,
  adversary_start: true,
  adversary_token: true,
  adversary_complete: true,
  adversary_error: true,
  adversary_revision_start: true,
  adversary_revision_token: true,
  adversary_revision_complete: true,
  adversary_revision_error: true,
  adversary_validation_complete: true,
  process: true,
  budget_warning: true,
  costs_complete: true,
  title_complete: true,
  call_restarted: true,
  complete: true,
  cancelled: true,
  error: true,
  server_shutdown: true,
};

/** The JSON of one frame as an event; null for types of a newer server and for junk. */
export function readEvent(data: string): CouncilEvent | null {
  let value: unknown;
  try {
    value = JSON.parse(data);
  } catch {
    return null;
  }
  if (typeof value !== "object" || value === null || !("type" in value)) return null;
  const type = value.type;
  return typeof type === "string" && Object.hasOwn(known, type) ? (value as CouncilEvent) : null;
}

export interface Decoder {
  push(bytes: Uint8Array): void;
}

/**
 * `onFrame` is called for each complete frame. A frame of an unknown type still moves the count on:
 * `onSeq` is told of its number. `onHeartbeat` is called for comments.
 */
export function createDecoder(
  onFrame: (frame: Frame) => void,
  onSeq: (seq: number) => void,
  onHeartbeat: () => void = () => undefined,
): Decoder {
  const text = new TextDecoder();
  const parser = createParser({
    onEvent({ id, data }) {
      // A frame without an id keeps none: `server_shutdown` must not count as the one before it.
      const seq = id !== undefined && /^\d+$/.test(id) ? Number(id) : null;
      const event = readEvent(data);
      if (event) onFrame({ seq, event });
      else if (seq !== null) onSeq(seq);
    },
    onComment: onHeartbeat,
  });
  return {
    push: (bytes) => parser.feed(text.decode(bytes, { stream: true })),
  };
}
