/**
 * One run's events, each exactly once, whatever happens to the connection.
 *
 * The first connection is the POST that asks; every later one reads the run's log after the last
 * number seen. Before the run's id is known a repeat of the POST is safe, because it carries the
 * same Idempotency-Key.
 */
import { request } from "../api/client";
import { asProblem, type Problem } from "../api/problem";
import type { Ask, CouncilEvent } from "../api/types";
import { createDecoder, type Frame } from "./decode";

export type Link =
  | { state: "connecting" }
  | { state: "live" }
  | { state: "reconnecting"; attempt: number; because: "network" | "restart" };

export type Ending =
  /** A terminal event arrived; it went through `onEvent`. */
  | { kind: "finished" }
  /** The server refused in a way that trying again does not mend. */
  | { kind: "refused"; problem: Problem }
  /** The caller aborted: the page no longer wants this stream. */
  | { kind: "left" };

export interface Source {
  /** What to ask; absent when an existing run is picked up. */
  ask?: { conversationId: string; body: Ask; idempotencyKey: string };
  runId?: string;
}

export interface Listeners {
  onEvent(event: CouncilEvent): void;
  onLink(link: Link): void;
}

/** What the outside world does for a stream; replaced in tests. */
export interface World {
  open(path: string, init: RequestInit): Promise<Response>;
  /** Resolves after `ms`, earlier when the network comes back, rejects when aborted. */
  pause(ms: number, signal: AbortSignal): Promise<void>;
  random(): number;
}

const firstDelayMs = 500;
const longestDelayMs = 15_000;
/** Heartbeats come every 15 s; three missed mean that nobody is there (a laptop that slept). */
const silenceMs = 45_000;

/** Exponential with full jitter over the upper half, so that a restart is not met by a stampede. */
export function backoffMs(attempt: number, random: number): number {
  const ceiling = Math.min(longestDelayMs, firstDelayMs * 2 ** Math.min(attempt - 1, 10));
  return ceiling / 2 + (ceiling / 2) * random;
}

export const browser: World = {
  open: request,
  pause(ms, signal) {
    return new Promise((resolve, reject) => {
      const settle = (then: () => void) => () => {
        clearTimeout(timer);
        removeEventListener("online", woken);
        signal.removeEventListener("abort", stopped);
        then();
      };
      const woken = settle(resolve);
      const stopped = settle(() => reject(signal.reason));
      const timer = setTimeout(woken, ms);
      addEventListener("online", woken);
      signal.addEventListener("abort", stopped);
      if (signal.aborted) stopped();
    });
  },
  random: Math.random,
};

const isTerminal = (event: CouncilEvent) =>
  event.type === "complete" || event.type === "cancelled" || event.type === "error";

type Cut = "finished" | "restart" | "network";

export async function followRun(
  source: Source,
  listeners: Listeners,
  signal: AbortSignal,
  world: World = browser,
): Promise<Ending> {
  let runId = source.runId ?? null;
  let lastSeq = -1;
  let attempt = 0;

  const connect = (linkSignal: AbortSignal): Promise<Response> => {
    if (runId !== null) {
      const after = lastSeq < 0 ? "" : `?after=${lastSeq}`;
      const path = `/api/runs/${encodeURIComponent(runId)}/events${after}`;
      return world.open(path, { headers: { accept: "text/event-stream" }, signal: linkSignal });
    }
    const ask = source.ask;
    if (!ask) throw new Error("a stream needs a question or a run");
    return world.open(
      `/api/conversations/${encodeURIComponent(ask.conversationId)}/message/stream`,
      {
        method: "POST",
        headers: {
          accept: "text/event-stream",
          "content-type": "application/json",
          "idempotency-key": ask.idempotencyKey,
        },
        body: JSON.stringify(ask.body),
        signal: linkSignal,
      },
    );
  };

  /** Reads one connection to its end. */
  const read = async (response: Response, touch: () => void): Promise<Cut> => {
    // Widened, because `take` changes it from inside a callback.
    let cut = "network" as Cut;
    const take = ({ seq, event }: Frame) => {
      if (cut === "finished") return;
      if (seq !== null) {
        if (seq <= lastSeq) return;
        lastSeq = seq;
      }
      attempt = 0;
      if (event.type === "run_started") runId = event.run_id;
      if (event.type === "server_shutdown") {
        cut = "restart";
        if (runId === null && event.run_id) runId = event.run_id;
        return;
      }
      if (isTerminal(event)) cut = "finished";
      listeners.onEvent(event);
    };
    const decoder = createDecoder(take, (seq) => {
      if (seq > lastSeq) lastSeq = seq;
    });
    const reader = response.body?.getReader();
    if (!reader) return cut;
    try {
      while (true) {
        const { done, value } = await reader.read();
        touch();
        if (done) return cut;
        decoder.push(value);
        if (cut === "finished") return cut;
      }
    } finally {
      // The reader may already be broken; there is nothing left to read either way.
      reader.cancel().catch(() => undefined);
    }
  };

  listeners.onLink({ state: "connecting" });
  while (true) {
    const link = new AbortController();
    const leave = () => link.abort(signal.reason);
    signal.addEventListener("abort", leave);
    let watchdog: ReturnType<typeof setTimeout> | undefined;
    const touch = () => {
      clearTimeout(watchdog);
      watchdog = setTimeout(() => link.abort(new Error("silent")), silenceMs);
    };
    let because: "network" | "restart" = "network";
    let retryAfterMs = 0;
    try {
      if (signal.aborted) return { kind: "left" };
      touch();
      const response = await connect(link.signal);
      listeners.onLink({ state: "live" });
      const cut = await read(response, touch);
      if (cut === "finished") return { kind: "finished" };
      because = cut;
    } catch (error) {
      if (signal.aborted) return { kind: "left" };
      const problem = asProblem(error);
      const silent = link.signal.aborted;
      const passing = silent || problem.kind === "network" || problem.kind === "restarting";
      if (!passing) return { kind: "refused", problem };
      if (problem.kind === "restarting") because = "restart";
      retryAfterMs = problem.retryAfterMs ?? 0;
    } finally {
      clearTimeout(watchdog);
      signal.removeEventListener("abort", leave);
    }
    attempt += 1;
    listeners.onLink({ state: "reconnecting", attempt, because });
    try {
      const wait = backoffMs(attempt, world.random());
      await world.pause(Math.max(wait, Math.min(retryAfterMs, longestDelayMs)), signal);
    } catch {
      return { kind: "left" };
    }
  }
}
