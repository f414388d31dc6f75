/** Asking and resuming, with what the rest of the page must learn when a run ends. */
import { create } from "zustand";
import { api } from "../api/client";
import type { Problem } from "../api/problem";
import { keys, queryClient, refreshConversations } from "../api/queries";
import type { Ask, Conversation } from "../api/types";
import { drafts } from "../features/composer/draft";
import type { Ending } from "../stream/resume";
import { ask, attach, forget, send, useLiveRuns } from "./live";
import { pending } from "./pending";

/** Why the last question of a conversation was not taken. */
export const useRefusals = create<{ refusals: Readonly<Record<string, Problem>> }>(() => ({
  refusals: {},
}));

export const setRefusal = (id: string, problem: Problem | null) =>
  useRefusals.setState(({ refusals }) => {
    const { [id]: _old, ...rest } = refusals;
    return { refusals: problem ? { ...rest, [id]: problem } : rest };
  });

/**
 * Drops the live copy of a run that is over once `shown`, the stored conversation, has its end too.
 * To be called with what is on the page: a copy dropped any sooner would leave nothing there for a
 * moment.
 */
export function settleWith(shown: Conversation) {
  const live = useLiveRuns.getState().runs[shown.id];
  if (!live?.over) return;
  const message = shown.messages.find((entry) => entry.id === live.run.messageId);
  const ended =
    message?.role === "assistant" && message.status !== "running" && message.status !== "queued";
  if (ended) forget(shown.id);
}

async function conclude(id: string, ending: Ending) {
  if (ending.kind === "left") return;
  refreshConversations();
  const live = useLiveRuns.getState().runs[id];
  if (!live) return;
  if (ending.kind === "finished") {
    // If the stored one cannot be loaded the live copy stays, and it is complete.
    await queryClient.invalidateQueries({ queryKey: keys.conversation(id) });
    return;
  }
  const { problem } = ending;
  if (live.run.runId === null) {
    // The question was not taken: back into the composer with it, before what was typed since.
    if (live.question !== null) {
      const content = [live.question, drafts.read(id).content].filter(Boolean).join("\n\n");
      drafts.write(id, { content });
    }
    setRefusal(id, problem);
    forget(id);
    if (problem.status === 409 && problem.runId) resume(id, problem.runId);
    return;
  }
  if (problem.status === 404) {
    // The run's log is gone; what was stored of it is the truth.
    forget(id);
    await queryClient.invalidateQueries({ queryKey: keys.conversation(id) });
  }
}

export function start(id: string, body: Ask) {
  setRefusal(id, null);
  ask(id, body).then((ending) => conclude(id, ending));
  markRunning(id);
}

/** Sends a question again that was on its way when this page was loaded. */
export function startAgain(id: string) {
  const question = pending.read(id);
  if (!question) return;
  send(question).then((ending) => conclude(id, ending));
  markRunning(id);
}

export function resume(id: string, runId: string) {
  attach(id, runId).then((ending) => conclude(id, ending));
}

/** Creates the conversation for a first question; the caller shows it before the run begins. */
export async function createConversation(): Promise<Conversation> {
  const conversation = await api.createConversation();
  queryClient.setQueryData(keys.conversation(conversation.id), {
    ...conversation,
    messages: conversation.messages ?? [],
  });
  return conversation;
}

function markRunning(id: string) {
  // The list learns of a new conversation once its run has begun and it has a message.
  setTimeout(() => refreshConversations(), 400);
  const stop = useLiveRuns.subscribe((state, before) => {
    const now = state.runs[id];
    if (!now) return stop();
    const was = before.runs[id]?.run;
    if (now.run.title !== null && was?.title !== now.run.title) refreshConversations();
  });
}
