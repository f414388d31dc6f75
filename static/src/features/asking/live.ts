/** Follows runs: from the question, or the run, to the end of its events. */
import { api } from "../../api/client";
import { keys, queryClient } from "../../api/queries";
import type { Ask, Conversation, CouncilEvent } from "../../api/types";
import { newRun } from "../../run/state";
import {
  followRun,
  type Question,
  type Source,
  type Ending as StreamEnding,
} from "../../stream/resume";
import { writtenIn } from "../options/choices";
import { reduceAll } from "../reducer";
import { newKey } from "./key";
import { pending } from "./pending";
import { followed, type LiveRun, useLiveRuns } from "./runs";

export type Ending =
  | StreamEnding
  /** Stopped before the server was known to have it: nobody answers the question. */
  | { kind: "withdrawn" };

/** The reason for which a follower is withdrawn. */
const withdrawal = Symbol("withdrawn");

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
 * How often texts grow on the page: fast enough to read as flowing, and with a frame in between that is
 * free for scrolling and typing.
 */
const growMs = 30;

/**
 * Events are gathered until a frame; a hidden page has no frames, so a timer stands in. The
 * first ones are gathered for `firstMs`: what a run has written so far comes as it would have been
 * written, and appears at once.
 */
function perFrame(flush: (events: CouncilEvent[]) => void, firstMs: number) {
  let first = firstMs > 0;
  let waiting: CouncilEvent[] = [];
  let frame = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let ranAt = 0;
  const onFrame = (now: number) => {
    if (now - ranAt < growMs) frame = requestAnimationFrame(onFrame);
    else run();
  };
  const run = () => {
    ranAt = performance.now();
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
      if (!first) frame = requestAnimationFrame(onFrame);
      timer = setTimeout(run, first ? firstMs : 250);
    },
    flush: run,
  };
}

/** How many messages the page knows of; of a conversation that is not there yet, none. */
const known = (id: string) =>
  queryClient.getQueryData<Conversation>(keys.conversation(id))?.message_count ?? 0;

async function follow(
  id: string,
  source: Source,
  question: string | null,
  messageId: string | null = null,
  edits: string | null = null,
): Promise<Ending> {
  followed.get(id)?.abort();
  const controller = new AbortController();
  followed.set(id, controller);
  // A run that is picked up again stays as it is on the page until its replay is there.
  const before = useLiveRuns.getState().runs[id];
  const same = before && source.runId && before.run.runId === source.runId ? before : null;
  const start: LiveRun = {
    question: question ?? same?.question ?? null,
    attachments: source.ask?.body.attachments ?? same?.attachments ?? [],
    parent: source.ask ? source.ask.body.parent_message_id : same?.parent,
    edits: edits ?? same?.edits ?? null,
    to: source.ask ? (source.ask.body.direct_to ?? null) : (same?.to ?? null),
    written: source.ask ? writtenIn(source.ask.body) : (same?.written ?? {}),
    knew: source.ask ? known(id) : (same?.knew ?? null),
    since: same?.since ?? Date.now(),
    begins: source.ask?.body.new_conversation ?? false,
    project: source.ask?.body.project_id ?? null,
    run: same?.run ?? { ...newRun, conversationId: id, messageId, runId: source.runId ?? null },
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
      onLink(link) {
        change(id, (live) => ({ ...live, link }));
        withdrawIfStopped(id);
      },
    },
    controller.signal,
  );
  // Another one follows in its place, or nobody wants it any more.
  if (followed.get(id) !== controller) return ending;
  frames.flush();
  pending.clear(id);
  followed.delete(id);
  const refused = ending.kind === "refused" ? ending.problem : null;
  change(id, (live) => ({ ...live, refused, over: true }));
  return controller.signal.reason === withdrawal ? { kind: "withdrawn" } : ending;
}

/** A question that was stopped before the server was known to have it is not sent once more. */
function withdrawIfStopped(id: string) {
  const live = useLiveRuns.getState().runs[id];
  if (live?.stopping && live.run.runId === null && live.link.state === "reconnecting") {
    followed.get(id)?.abort(withdrawal);
  }
}

/** Asks, in the place of a question or not, and follows the run to its end. */
export function ask(conversationId: string, body: Ask, edits: string | null): Promise<Ending> {
  return send({ conversationId, body, idempotencyKey: newKey() }, edits);
}

/** Sends a question, possibly once more. */
export function send(question: Question, edits: string | null = null): Promise<Ending> {
  const { conversationId, body } = question;
  pending.write(question);
  return follow(conversationId, { ask: question }, body.content, null, edits);
}

/**
 * Picks up a run that was started elsewhere, or before this page was loaded. One that takes the place
 * of a message is shown there before it says so itself.
 */
export function attach(
  conversationId: string,
  runId: string,
  messageId: string | null,
): Promise<Ending> {
  return follow(conversationId, { runId }, null, messageId);
}

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

/** The run of a question that is to be stopped; null once there will be none. */
function namedRun(id: string): Promise<string | null> {
  return new Promise((resolve) => {
    const look = ({ runs }: ReturnType<typeof useLiveRuns.getState>) => {
      const live = runs[id];
      const gone = !live || live.over || !live.stopping;
      if (!gone && live.run.runId === null) return;
      done();
      resolve(gone ? null : live.run.runId);
    };
    const done = useLiveRuns.subscribe(look);
    look(useLiveRuns.getState());
  });
}

/**
 * Asks the server to stop; the `cancelled` event then ends the run here as everywhere. A question on
 * its way is stopped as soon as it has a run, or taken back if it does not get through.
 */
export async function stop(conversationId: string): Promise<void> {
  const live = useLiveRuns.getState().runs[conversationId];
  if (!live || live.stopping) return;
  change(conversationId, (entry) => ({ ...entry, stopping: true }));
  withdrawIfStopped(conversationId);
  const runId = await namedRun(conversationId);
  if (runId === null) return;
  try {
    await api.cancelRun(runId);
  } catch (error) {
    change(conversationId, (entry) => ({ ...entry, stopping: false }));
    throw error;
  }
}
