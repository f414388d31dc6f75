/** Links to conversations as they were when they were shared, for everybody who is signed in or for the members of a project. */
import { type InfiniteData, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { t } from "../i18n";
import { json, send } from "./client";
import { asProblem, Problem } from "./problem";
import { pageSize, queryClient, refreshConversations } from "./queries";
import type { Schemas } from "./types";

export type Share = Schemas["ShareView"];
export type SharedConversation = Schemas["SharedConversation"];

/** What is asked of a link; what is left out is the server's to choose. */
interface ShareRequest {
  /** The last message of the branch that is shared. */
  branch_end?: string;
  days?: number;
  /** The project for whose members alone it is. */
  project_id?: string;
}

const lists = ["shares"] as const;
const sharedKey = (id: string) => ["shared", id] as const;
const base = "/api/shares";
const one = (id: string) => `${base}/${encodeURIComponent(id)}`;

/** The reader's links, those to one conversation or all. */
export const useShares = (conversationId: string | null) =>
  useInfiniteQuery({
    queryKey: [...lists, conversationId],
    queryFn: ({ pageParam }) => {
      const query = new URLSearchParams({ limit: String(pageSize), offset: String(pageParam) });
      if (conversationId !== null) query.set("conversation_id", conversationId);
      return json<Schemas["ShareList"]>(`${base}?${query}`);
    },
    initialPageParam: 0,
    getNextPageParam: (last, pages) => {
      const seen = pages.reduce((sum, page) => sum + page.shares.length, 0);
      return last.shares.length > 0 && seen < last.total ? seen : undefined;
    },
  });

/** What a link shows to everybody who has it. */
export const useShared = (id: string) =>
  useQuery({
    queryKey: sharedKey(id),
    queryFn: () => json<SharedConversation>(one(id)),
    // As long as a conversation: a tab that stays open does not keep what was read in it.
    gcTime: 60_000,
  });

const refresh = () => queryClient.invalidateQueries({ queryKey: lists });

export async function makeShare(conversationId: string, wanted: ShareRequest) {
  const path = `/api/conversations/${encodeURIComponent(conversationId)}/shares`;
  const share = await json<Share>(path, send("POST", wanted));
  if (wanted.project_id !== undefined && share.project_id !== wanted.project_id) {
    // Made by a server of the version before, which is being replaced: it is for everybody.
    await stopShare(share.id);
    throw new Problem(
      "refused",
      t("The server cannot limit a link to a project yet. Try again in a moment."),
    );
  }
  void refresh();
  return share;
}

/** It works for nobody any more; no error where it had ended before. */
export async function stopShare(id: string) {
  try {
    await json<unknown>(one(id), { method: "DELETE" });
  } catch (error) {
    if (asProblem(error).status !== 404) throw error;
  }
}

/** Takes a link that was stopped out of what is shown, before the lists are read again. */
export function forgetShare(id: string) {
  queryClient.setQueriesData<InfiniteData<Schemas["ShareList"]>>({ queryKey: lists }, (old) => {
    if (!old?.pages.some(({ shares }) => shares.some((share) => share.id === id))) return old;
    const pages = old.pages.map((page) => ({
      ...page,
      shares: page.shares.filter((share) => share.id !== id),
      total: page.total - 1,
    }));
    return { ...old, pages };
  });
  queryClient.removeQueries({ queryKey: sharedKey(id) });
  void refresh();
}

/** Makes a conversation of the reader's own out of what a link shows. */
export async function copyShare(id: string): Promise<Schemas["ConversationSummary"]> {
  const { conversation } = await json<Schemas["CopiedConversation"]>(
    `${one(id)}/copy`,
    send("POST", {}),
  );
  void refreshConversations();
  return conversation;
}
