/** Asking and resuming, with what the rest of the page must learn when a run ends. */
import { navigate } from "wouter/use-browser-location";
import { api } from "../../api/client";
import { identity } from "../../api/identity";
import { asProblem, networkProblem, type Problem } from "../../api/problem";
import { keys, queryClient, refreshConversations } from "../../api/queries";
import type { Ask, Conversation } from "../../api/types";
import { msg } from "../../i18n";
import { complain } from "../../ui/complain";
import { files } from "../attachments/chosen";
import { aboutFiles } from "../attachments/gone";
import { editing, editOf } from "../branches/editing";
import { isElsewhere, liveElsewhere } from "../branches/elsewhere";
import { noteAsked } from "../composer/asked-here";
import { drafts, newIn } from "../composer/draft";
import { tellEnded } from "../ended/ended";
import { lasting } from "../options/choices";
import { newConversation, nextBranch } from "./conversation";
import { newId } from "./key";
import { ask, attach, type Ending, forget, send } from "./live";
import { next } from "./next";
import { pending } from "./pending";
import { newDraft, setRefusal, useRefusals } from "./refusals";
import { isFollowed, type LiveRun, useLiveRuns } from "./runs";

/**
 * Drops the live copy of a run that is over once `shown`, the stored conversation, has its end too.
 * To be called with what is on the page: a copy dropped any sooner would leave nothing there for a
 * moment.
 */
export function settleWith(shown: Conversation) {
  const live = useLiveRuns.getState().runs[shown.id];
  if (!live?.over) return;
  if (isElsewhere(live, shown)) {
    // The reader must first see its end, and that nothing is being written there any more.
    if (shown.live?.run_id !== live.run.runId) forget(shown.id);
    return;
  }
  const message = shown.messages.find((entry) => entry.id === live.run.messageId);
  if (message?.role !== "assistant") return;
  // A message that is asked for again has the earlier run's end until the new one's is loaded.
  const { run_id, status, earlier_runs = [] } = message;
  const ended = run_id === live.run.runId && status !== "running" && status !== "queued";
  if (ended || earlier_runs.includes(live.run.runId ?? "")) forget(shown.id);
}

/** A page shows the conversation, and drops the live copy itself, with `settleWith`. */
const isShown = (id: string) =>
  queryClient
    .getQueryCache()
    .find({ queryKey: keys.conversation(id) })
    ?.isActive() ?? false;

/** A question that was not taken: back to where it was typed, before what was typed since. Returns where that is. */
function giveBack(id: string, { question, edits, to = null, written, attachments }: LiveRun) {
  const place = edits === null ? id : editOf(edits);
  if (question === null) return place;
  drafts.giveBack(place, { content: question, to, choices: written });
  files.bringBack(place, attachments);
  if (edits !== null) editing.open(id, edits);
  return place;
}

/** The first try may have got through all the same, and only its answer was lost. */
async function cancelUnheard(id: string) {
  try {
    await api.cancelConversation(id);
  } catch (error) {
    const problem = asProblem(error);
    // Nobody is there to be told: once somebody is, the page shows what the conversation has. And a
    // first question that did not get through has left no conversation.
    if (problem.kind === "refused" && problem.status !== 404) {
      complain(msg("Not stopped: {{message}}"))(error);
    }
  } finally {
    queryClient.invalidateQueries({ queryKey: keys.conversation(id) });
  }
}

const shownOf = (id: string) => queryClient.getQueryData<Conversation>(keys.conversation(id));

/** What was refused because of this run can be asked now. */
function forgetRefusals(runId: string | null) {
  if (runId === null) return;
  for (const [place, refusal] of Object.entries(useRefusals.getState().refusals)) {
    if (refusal.runId === runId) setRefusal(place, null);
  }
}

/**
 * Something is being answered already, asked elsewhere meanwhile. A question on another branch waits for its end, as one
 * does that is asked during a run; one on the same branch is given back, since what it goes on from is not what it was
 * written for.
 */
async function giveWay(id: string, live: LiveRun, problem: Problem, asked: Ask | null) {
  const waits = live.edits === null && asked?.parent_message_id && next.read(id).length === 0;
  if (waits) next.add(id, asked);
  else setRefusal(giveBack(id, live), problem);
  forget(id);
  await queryClient.invalidateQueries({ queryKey: keys.conversation(id) });
  const there = shownOf(id);
  const elsewhere = there && liveElsewhere(there);
  if (there && !there.live) {
    // It has ended in between.
    forgetRefusals(problem.runId);
    if (waits) askNext(id);
    return;
  }
  if (waits && !elsewhere) {
    next.take(id);
    setRefusal(giveBack(id, live), problem);
  }
  if (!isFollowed(id) && problem.runId) resume(id, problem.runId, elsewhere?.message_id);
}

async function conclude(id: string, ending: Ending, asked: Ask | null = null) {
  if (ending.kind === "left") return;
  refreshConversations();
  const live = useLiveRuns.getState().runs[id];
  if (!live) return;
  if (ending.kind === "finished") {
    // The one that waits for this answer. If another tab asks it sooner, those behind it wait for that one's.
    const [waiting] = next.read(id);
    // If the stored one cannot be loaded the live copy stays, and it is complete.
    await queryClient.invalidateQueries({ queryKey: keys.conversation(id) });
    // Nobody looks: it is read from the server when somebody does, and nothing is kept until then.
    const since = useLiveRuns.getState().runs[id];
    forgetRefusals(live.run.runId);
    if (!isShown(id) && since?.over && since.run.runId === live.run.runId) {
      forget(id);
      queryClient.removeQueries({ queryKey: keys.conversation(id) });
    }
    tellEnded(id, live);
    // After one that was stopped or has failed, a person looks first.
    if (live.run.status === "complete" && waiting) {
      askNext(id, live.run.messageId, waiting.idempotencyKey);
    }
    return;
  }
  if (ending.kind === "withdrawn") {
    if (live.begins) takeBack(id, live.question, null);
    else {
      giveBack(id, live);
      forget(id);
    }
    return cancelUnheard(id);
  }
  const problem = aboutFiles(ending.problem, live.attachments);
  if (live.run.runId === null && live.begins) return takeBack(id, live.question, problem);
  if (live.run.runId === null) {
    if (problem.status === 409 && problem.runId) return giveWay(id, live, problem, asked);
    setRefusal(giveBack(id, live), problem);
    return forget(id);
  }
  if (problem.status === 404) {
    // The run's log is gone; what was stored of it is the truth.
    forget(id);
    await queryClient.invalidateQueries({ queryKey: keys.conversation(id) });
  }
}

export function start(id: string, body: Ask, edits: string | null = null) {
  setRefusal(id, null);
  noteAsked(body.content);
  ask(id, body, edits).then((ending) => conclude(id, ending, body));
  markRunning(id);
}

/**
 * Asks the first question that waits, or the one with this key, unless another tab has: after the answer that it waited for, unless it
 * says where.
 */
export function askNext(id: string, answer: string | null = null, key?: string) {
  // What somebody has asked meanwhile comes first: this one waits for its answer then.
  if (isFollowed(id)) return;
  const waiting = next.take(id, key);
  if (!waiting) return;
  setRefusal(id, null);
  const after = answer === null ? {} : { parent_message_id: answer };
  const body: Ask = { ...after, ...waiting.body };
  const from = waiting.body.parent_message_id;
  // Those behind it that were to go on from where it does go on from its answer.
  if (from !== undefined) {
    const rest = next.read(id).map((one) => {
      const { parent_message_id: parent, ...body } = one.body;
      return parent === from ? { ...one, body } : one;
    });
    next.write(id, rest);
  }
  send({ conversationId: id, ...waiting, body }).then((ending) => conclude(id, ending, body));
  // Whoever reads another branch meanwhile goes on reading.
  const parent = body.parent_message_id;
  markRunning(id, !parent || shownOf(id)?.messages.at(-1)?.id === parent);
}

/** Sends a question again that was on its way when this page was loaded. */
export async function startAgain(id: string) {
  if (!pending.read(id)) return;
  await identity.known();
  if (isFollowed(id)) return;
  const question = pending.read(id);
  if (!question) return;
  send(question).then((ending) => conclude(id, ending));
  markRunning(id);
}

export function resume(id: string, runId: string, messageId: string | null = null) {
  attach(id, runId, messageId).then((ending) => conclude(id, ending));
}

/** Shows the run that was asked for again in the place of the answer that it replaces. */
export function takeOver(id: string, runId: string, messageId: string | null) {
  setRefusal(id, null);
  resume(id, runId, messageId);
  markRunning(id);
  // The answer so far is now one of the earlier ones.
  queryClient.invalidateQueries({ queryKey: keys.conversation(id) });
}

/** How long the question stays where it was typed, waiting for the server's word. */
const soonMs = 400;

/** Conversations that are shown although the server has not taken their first question. */
const shownEarly = new Set<string>();

/** What was typed while the question was on its way, without the question. */
function typedSince(content: string, question: string): string {
  return content.startsWith(question) ? content.slice(question.length).trimStart() : content;
}

/**
 * Begins a conversation with its first question. Resolves with its id once the question was taken, or
 * takes a while; with null where it was refused: then there is no conversation, and the draft stays.
 */
export async function begin(body: Ask): Promise<string | null> {
  const place = newIn(body.project_id);
  setRefusal(place ?? newDraft, navigator.onLine ? null : networkProblem());
  if (!navigator.onLine) return null;
  const id = newId();
  queryClient.setQueryData(keys.conversation(id), newConversation(id));
  start(id, { ...body, new_conversation: true });
  if (!(await takenSoon(id))) return null;
  shownEarly.add(id);
  const { content, choices, ...rest } = drafts.read(place);
  const since = typedSince(content, body.content);
  drafts.write(id, { ...rest, choices: lasting(choices), content: since });
  drafts.clear(place);
  files.clear(place);
  return id;
}

// A conversation that was to begin with a question does not exist for the next person: they start at the home page.
identity.beforeReload(() => {
  const [, id = ""] = /^\/c\/([^/]+)$/.exec(location.pathname) ?? [];
  const live = useLiveRuns.getState().runs[id];
  if (live?.begins && live.run.runId === null) history.replaceState(null, "", "/");
});

function takenSoon(id: string): Promise<boolean> {
  return new Promise((resolve) => {
    const look = ({ runs }: { runs: Readonly<Record<string, LiveRun>> }) => {
      const live = runs[id];
      if (!live) settle(false);
      else if (live.run.runId !== null || live.link.state === "reconnecting") settle(true);
    };
    const timer = setTimeout(() => settle(true), soonMs);
    const leave = useLiveRuns.subscribe(look);
    const settle = (taken: boolean) => {
      clearTimeout(timer);
      leave();
      resolve(taken);
    };
  });
}

/** A first question that was not taken: there is no conversation, and it is a draft again. */
function takeBack(id: string, question: string | null, problem: Problem | null) {
  const path = `/c/${id}`;
  const live = useLiveRuns.getState().runs[id];
  const place = newIn(live?.project);
  if (shownEarly.delete(id) || location.pathname === path) {
    const { content, ...rest } = drafts.read(id);
    const texts = [question, content, drafts.read(place).content];
    const choices = { ...rest.choices, ...live?.written };
    drafts.write(place, { ...rest, choices, content: texts.filter(Boolean).join("\n\n") });
    drafts.clear(id);
    files.bringBack(place, live?.attachments);
  }
  setRefusal(place ?? newDraft, problem);
  forget(id);
  const back = live?.project ? `/p/${live.project}` : "/";
  if (location.pathname === path) navigate(back, { replace: true });
  queryClient.removeQueries({ queryKey: keys.conversation(id) });
}

/** Tells the other tabs of this browser that something is asked in a conversation: those that show it read it anew. */
const tabs = new BroadcastChannel("asked");
tabs.onmessage = ({ data }: MessageEvent<string>) => {
  if (!isFollowed(data)) queryClient.invalidateQueries({ queryKey: keys.conversation(data) });
};

function markRunning(id: string, isShownThen = true) {
  // The list learns of a new conversation once its run has begun and it has a message.
  setTimeout(() => refreshConversations(), 400);
  const stop = useLiveRuns.subscribe((state, before) => {
    const now = state.runs[id];
    if (!now) return stop();
    const was = before.runs[id]?.run;
    if (now.run.title !== null && was?.title !== now.run.title) refreshConversations();
    const { messageId } = now.run;
    if (messageId === null || (was?.messageId ?? null) !== null) return;
    tabs.postMessage(id);
    // The page learns of the branch, and how to leave it, while the council works.
    if (now.parent === undefined) return;
    if (isShownThen) nextBranch.set(id, messageId);
    queryClient.invalidateQueries({ queryKey: keys.conversation(id) });
  });
}
