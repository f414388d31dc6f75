/** A conversation as it is asked in: one whose first question is on its way is not at the server yet. */
import { useQuery } from "@tanstack/react-query";
import { api } from "../../api/client";
import { identity } from "../../api/identity";
import { keys, queryClient } from "../../api/queries";
import type { Conversation } from "../../api/types";
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

export const useConversation = (id: string) =>
  useQuery({
    queryKey: keys.conversation(id),
    queryFn: async () => {
      // What the browser has kept may be somebody else's.
      if (pending.begins(id)) await identity.known();
      if (pending.begins(id)) return newConversation(id);
      const shown = queryClient.getQueryData<Conversation>(keys.conversation(id));
      const branch = nextBranch.get(id) ?? shown?.messages.at(-1)?.id;
      const read = await api.conversation(id, branch);
      nextBranch.delete(id);
      return read;
    },
    refetchOnWindowFocus: () => !isFollowed(id),
  });
