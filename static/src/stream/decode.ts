/** Bytes of a `text/event-stream` body to events, however the network cut them. */
import { createParser } from "eventsource-parser";
import type { CouncilEvent } from "../api/types";

export interface Frame {
  /** The run's sequence number; null for frames outside the count (`server_shutdown`). */
  seq: number | null;
  event: CouncilEvent;
}

/**
 * The JSON of one frame as an event; null for junk. It may be one of a newer server: whoever gets events
 * passes over those that it does not know.
 */
export function readEvent(data: string): CouncilEvent | null {
  let value: unknown;
  try {
    value = JSON.parse(data);
  } catch {
    return null;
  }
  if (typeof value !== "object" || value === null || !("type" in value)) return null;
  return typeof value.type === "string" ? (value as CouncilEvent) : null;
}

export interface Decoder {
  push(bytes: Uint8Array): void;
}

/**
 * `onFrame` is called for each complete frame. One that cannot be read still moves the count on:
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
