/** A conversation as it is asked in: one whose first question is on its way is not at the server yet. */
import { useQuery } from "@tanstack/react-query";
import { api } from "../../api/client";
import { identity } from "../../api/identity";
import { keys } from "../../api/queries";
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

export const useConversation = (id: string) =>
  useQuery({
    queryKey: keys.conversation(id),
    queryFn: async () => {
      // What the browser has kept may be somebody else's.
      if (pending.begins(id)) await identity.known();
      return pending.begins(id) ? newConversation(id) : api.conversation(id);
    },
    refetchOnWindowFocus: () => !isFollowed(id),
  });
