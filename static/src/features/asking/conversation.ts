/** A conversation as it is asked in: one whose first question is on its way is not at the server yet. */
import { useQuery } from "@tanstack/react-query";
import { api } from "../../api/client";
import { identity } from "../../api/identity";
import { keys, queryClient } from "../../api/queries";
import type { Conversation } from "../../api/types";
import { isFind } from "../conversations/find";
import { pending } from "./pending";
import { isFollowed } from "./runs";

/** A conversation whose first question is on its way. */
export function newConversation(id: string): Conversation {
  const now = new Date().toISOString().replace("Z", "");
  return {
    id,
    title: "",
    title_is_default: true,
    tags: [],
    archived: false,
    pinned: false,
    created_at: now,
    updated_at: now,
    asked_at: now,
    message_count: 0,
    running: true,
    branches: 0,
    messages: [],
  };
}

/**
 * Through which message a conversation is read next, where that is on a branch other than the one shown: otherwise a page
 * stays on its own, whichever was asked in meanwhile in another tab.
 */
export const nextBranch = new Map<string, string>();

/** How many of the newest answers a page begins with: more than two screens of them. */
const wholeAtOnce = 6;

const reading = (id: string) => ({
  queryKey: keys.conversation(id),
  queryFn: async () => {
    // What the browser has kept may be somebody else's.
    if (pending.begins(id)) await identity.known();
    if (pending.begins(id)) return newConversation(id);
    const shown = queryClient.getQueryData<Conversation>(keys.conversation(id));
    const next = nextBranch.get(id);
    const branch = next ?? shown?.messages.at(-1)?.id;
    // A page that opens has the newest answers first, and reads the rest when they stand (`features/conversations/rest.tsx`).
    // What a search has found may be anywhere.
    const opens = !shown && !isFind(history.state);
    const read = await (opens
      ? api.conversation(id, branch, wholeAtOnce)
      : api.conversation(id, branch));
    // One that was set meanwhile is for the next reading.
    if (nextBranch.get(id) === next) nextBranch.delete(id);
    return read;
  },
});

export const useConversation = (id: string) =>
  useQuery({ ...reading(id), refetchOnWindowFocus: () => !isFollowed(id) });

/** Asks for it before the page that shows it is drawn: that one says what becomes of it. */
export function readAhead(id: string): void {
  queryClient.prefetchQuery(reading(id));
}
