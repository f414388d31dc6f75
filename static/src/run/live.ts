/**
 * The runs this page follows now, one per conversation. They outlive the view: a person may read
 * another conversation while the council works, and find it further on when coming back.
 */
import { create } from "zustand";
import { api } from "../api/client";
import type { Problem } from "../api/problem";
import type { Ask, CouncilEvent } from "../api/types";
import { type Ending, followRun, type Link, type Question, type Source } from "../stream/resume";
import { pending } from "./pending";
import { reduceAll } from "./reduce";
import { newRun, type RunState } from "./state";

export interface LiveRun {
  /** The question as asked on this page; null when an existing run was picked up. */
  question: string | null;
  run: RunState;
  link: Link;
  /** Set when the server refused; the run, if there is one, is not known to have ended. */
  refused: Problem | null;
  stopping: boolean;
  /** This page follows it no longer: it has ended, or the server refused. */
  over: boolean;
}

interface LiveRuns {
  runs: Readonly<Record<string, LiveRun>>;
}

export const useLiveRuns = create<LiveRuns>(() => ({ runs: {} }));

const followed = new Map<string, AbortController>();

function change(id: string, patch: (live: LiveRun) => LiveRun) {
  useLiveRuns.setState((all) => {
    const live = all.runs[id];
    if (!live) return all;
    const next = patch(live);
    return next === live ? all : { runs: { ...all.runs, [id]: next } };
  });
}

/** How long the events of a run that is picked up are gathered before the first are shown. */
const replayMs = 200;

/**
 * Events are gathered until the next frame; a hidden page has no frames, so a timer stands in. The
 * first ones are gathered for `firstMs`: what a run has written so far comes as it would have been
 * written, and appears at once.
 */
function perFrame(flush: (events: CouncilEvent[]) => void, firstMs: number) {
  let first = firstMs > 0;
  let waiting: CouncilEvent[] = [];
  let frame = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const run = () => {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
    timer = undefined;
    first = false;
    const events = waiting;
    waiting = [];
    if (events.length > 0) flush(events);
  };
  return {
    add(event: CouncilEvent) {
      waiting.push(event);
      if (timer !== undefined) return;
      if (!first) frame = requestAnimationFrame(run);
      timer = setTimeout(run, first ? firstMs : 250);
    },
    flush: run,
  };
}

async function follow(id: string, source: Source, question: string | null): Promise<Ending> {
  followed.get(id)?.abort();
  const controller = new AbortController();
  followed.set(id, controller);
  // A run that is picked up again stays as it is on the page until its replay is there.
  const before = useLiveRuns.getState().runs[id];
  const known = before && source.runId && before.run.runId === source.runId ? before : null;
  const start: LiveRun = {
    question: question ?? known?.question ?? null,
    run: known?.run ?? { ...newRun, conversationId: id, runId: source.runId ?? null },
    link: { state: "connecting" },
    refused: null,
    stopping: false,
    over: false,
  };
  useLiveRuns.setState((all) => ({ runs: { ...all.runs, [id]: start } }));
  const frames = perFrame(
    (events) =>
      change(id, (live) => {
        const run = reduceAll(live.run, events);
        return run === live.run ? live : { ...live, run };
      }),
    source.runId ? replayMs : 0,
  );
  const ending = await followRun(
    source,
    {
      onEvent(event) {
        if (event.type === "run_started" || event.type === "run_queued") pending.clear(id);
        frames.add(event);
      },
      onLink: (link) => change(id, (live) => ({ ...live, link })),
    },
    controller.signal,
  );
  frames.flush();
  pending.clear(id);
  if (followed.get(id) === controller) {
    followed.delete(id);
    const refused = ending.kind === "refused" ? ending.problem : null;
    change(id, (live) => ({ ...live, refused, over: true }));
  }
  return ending;
}

/** crypto.randomUUID exists only on https and localhost; a plain-http LAN address has this. */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Asks, and follows the run to its end. */
export function ask(conversationId: string, body: Ask): Promise<Ending> {
  return send({ conversationId, body, idempotencyKey: newKey() });
}

/** Sends a question, possibly once more. */
export function send(question: Question): Promise<Ending> {
  const { conversationId, body } = question;
  pending.write(question);
  return follow(conversationId, { ask: question }, body.content);
}

/** Picks up a run that was started elsewhere, or before this page was loaded. */
export function attach(conversationId: string, runId: string): Promise<Ending> {
  return follow(conversationId, { runId }, null);
}

export const isFollowed = (conversationId: string) => followed.has(conversationId);

/** Once the stored message is on the page, the live copy has done its work. */
export function forget(conversationId: string) {
  followed.get(conversationId)?.abort();
  followed.delete(conversationId);
  useLiveRuns.setState((all) => {
    if (!all.runs[conversationId]) return all;
    const { [conversationId]: _gone, ...runs } = all.runs;
    return { runs };
  });
}

/** Asks the server to stop; the `cancelled` event then ends the run here as everywhere. */
export async function stop(conversationId: string): Promise<void> {
  const live = useLiveRuns.getState().runs[conversationId];
  if (!live || live.stopping) return;
  change(conversationId, (entry) => ({ ...entry, stopping: true }));
  try {
    if (live.run.runId) await api.cancelRun(live.run.runId);
    else await api.cancelConversation(conversationId);
  } catch (error) {
    change(conversationId, (entry) => ({ ...entry, stopping: false }));
    throw error;
  }
}
