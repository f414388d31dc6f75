/**
 * One run's events, each exactly once, whatever happens to the connection.
 *
 * The first connection is the POST that asks; every later one reads the run's log after the last
 * number seen. Before the run's id is known a repeat of the POST is safe, because it carries the
 * same Idempotency-Key. There is never more than one connection: the next is opened only after the
 * one before was closed.
 */
import { availability } from "../api/availability";
import { request } from "../api/client";
import { asProblem, type Problem } from "../api/problem";
import type { Ask, CouncilEvent } from "../api/types";
import { createDecoder, type Frame } from "./decode";
import { onWake, pause } from "./wake";

/** Why the page has no connection: it broke, or the server said that it restarts, or it (or a proxy
 * in its place) answers that it cannot now. */
export type Trouble = "network" | "restart" | "unavailable";

export type Link =
  | { state: "connecting" }
  | { state: "live" }
  | { state: "reconnecting"; because: Trouble };

export type Ending =
  /** A terminal event arrived; it went through `onEvent`. */
  | { kind: "finished" }
  /** The server refused in a way that trying again does not mend. */
  | { kind: "refused"; problem: Problem }
  /** The caller aborted: the page no longer wants this stream. */
  | { kind: "left" };

export interface Question {
  conversationId: string;
  body: Ask;
  idempotencyKey: string;
}

export interface Source {
  /** What to ask; absent when an existing run is picked up. */
  ask?: Question;
  runId?: string;
}

export interface Listeners {
  onEvent(event: CouncilEvent): void;
  onLink(link: Link): void;
}

/** How one connection ended. */
type Cut =
  | { kind: "finished" }
  | { kind: "refused"; problem: Problem }
  | { kind: "lost"; because: Trouble; retryAfterMs: number };

/** Where in the run the page is; outlives the connections. */
interface Place {
  runId: string | null;
  lastSeq: number;
  /** Connections in a row that brought nothing. */
  failures: number;
  because: Trouble;
}

const firstDelayMs = 500;
const longestDelayMs = 15_000;
const longestRetryAfterMs = 60_000;
/** Heartbeats come every 15 s; three missed mean that nobody is there. */
const silenceMs = 45_000;
/** One missed is enough for a reader who has just come back and looks at the page. */
const silenceOnWakeMs = 20_000;
const checkEveryMs = 5_000;

/** Exponential with jitter over the upper half, so that a restart is not met by a stampede. */
export function backoffMs(failures: number, random: number): number {
  const ceiling = Math.min(longestDelayMs, firstDelayMs * 2 ** Math.min(failures - 1, 10));
  return ceiling / 2 + (ceiling / 2) * random;
}

const isTerminal = (event: CouncilEvent) =>
  event.type === "complete" || event.type === "cancelled" || event.type === "error";

/** Whether a refusal passes by itself. A run that exists is worth coming back for after any fault
 * of the server; a question that was not taken is not worth asking over and over. */
function isPassing(problem: Problem, runId: string | null): boolean {
  if (problem.kind === "network" || problem.kind === "restarting") return true;
  return runId !== null && (problem.status >= 500 || [408, 429].includes(problem.status));
}

function connect(source: Source, place: Place, signal: AbortSignal): Promise<Response> {
  if (place.runId !== null) {
    const after = place.lastSeq < 0 ? "" : `?after=${place.lastSeq}`;
    const path = `/api/runs/${encodeURIComponent(place.runId)}/events${after}`;
    return request(path, { headers: { accept: "text/event-stream" }, signal });
  }
  const { ask } = source;
  if (!ask) throw new Error("a stream needs a question or a run");
  return request(`/api/conversations/${encodeURIComponent(ask.conversationId)}/message/stream`, {
    method: "POST",
    headers: {
      accept: "text/event-stream",
      "content-type": "application/json",
      "idempotency-key": ask.idempotencyKey,
    },
    body: JSON.stringify(ask.body),
    signal,
  });
}

/** Reads one connection to its end. */
async function read(
  response: Response,
  place: Place,
  listeners: Listeners,
  onBytes: () => void,
): Promise<Cut> {
  // Widened, because `take` changes it from inside a callback.
  let cut = null as Cut | null;
  const progress = () => {
    place.failures = 0;
    place.because = "network";
  };
  const take = ({ seq, event }: Frame) => {
    if (cut) return;
    if (event.type === "server_shutdown") {
      place.runId ??= event.run_id;
      availability.note("restarting");
      cut = { kind: "lost", because: "restart", retryAfterMs: 0 };
      return;
    }
    if (seq !== null) {
      if (seq <= place.lastSeq) return;
      place.lastSeq = seq;
    }
    progress();
    if (event.type === "run_started" || event.type === "run_queued") place.runId = event.run_id;
    if (isTerminal(event)) cut = { kind: "finished" };
    listeners.onEvent(event);
  };
  const skip = (seq: number) => {
    if (seq > place.lastSeq) place.lastSeq = seq;
  };
  const decoder = createDecoder(take, skip, progress);
  const reader = response.body?.getReader();
  while (reader && !cut) {
    const { done, value } = await reader.read();
    if (done) break;
    onBytes();
    decoder.push(value);
  }
  return cut ?? { kind: "lost", because: "network", retryAfterMs: 0 };
}

/** Opens one connection, reads it, and leaves it closed. Never throws. */
async function oneLink(
  source: Source,
  place: Place,
  listeners: Listeners,
  signal: AbortSignal,
): Promise<Cut> {
  const link = new AbortController();
  const drop = () => link.abort();
  let heardAt = Date.now();
  // The wall clock goes on while a laptop sleeps, timers do not; it may also be set back.
  const silentFor = (ms: number) => Math.abs(Date.now() - heardAt) >= ms;
  const watch = setInterval(() => {
    if (silentFor(silenceMs)) drop();
  }, checkEveryMs);
  // What was connected before the network came back is connected to nobody.
  const stopListening = onWake((wake) => {
    if (wake === "online" || silentFor(silenceOnWakeMs)) drop();
  });
  signal.addEventListener("abort", drop);
  try {
    const response = await connect(source, place, link.signal);
    place.runId ??= response.headers.get("x-run-id");
    listeners.onLink({ state: "live" });
    return await read(response, place, listeners, () => {
      heardAt = Date.now();
    });
  } catch (error) {
    const lost = { kind: "lost", because: "network", retryAfterMs: 0 } as const;
    if (link.signal.aborted) return lost;
    const problem = asProblem(error);
    if (!isPassing(problem, place.runId)) return { kind: "refused", problem };
    return {
      ...lost,
      because: problem.kind === "network" ? "network" : "unavailable",
      retryAfterMs: problem.retryAfterMs ?? 0,
    };
  } finally {
    clearInterval(watch);
    stopListening();
    signal.removeEventListener("abort", drop);
    drop();
  }
}

/** Follows a run to its end, over as many connections as that takes. */
export async function followRun(
  source: Source,
  listeners: Listeners,
  signal: AbortSignal,
): Promise<Ending> {
  const place: Place = {
    runId: source.runId ?? null,
    lastSeq: -1,
    failures: 0,
    because: "network",
  };
  listeners.onLink({ state: "connecting" });
  while (!signal.aborted) {
    const cut = await oneLink(source, place, listeners, signal);
    if (cut.kind === "finished") return cut;
    if (signal.aborted) break;
    if (cut.kind === "refused") return cut;
    place.failures += 1;
    // A server that restarts cannot be reached for a while: that is still the restart.
    if (place.because !== "restart") place.because = cut.because;
    listeners.onLink({ state: "reconnecting", because: place.because });
    const backoff = backoffMs(place.failures, Math.random());
    const wait = Math.max(backoff, Math.min(cut.retryAfterMs, longestRetryAfterMs));
    if ((await pause(wait, signal)) === "woken") place.failures = 0;
  }
  return { kind: "left" };
}
