/** Somebody's conversation in a project, for the page on which it is read. */
import { useQuery } from "@tanstack/react-query";
import { json } from "./client";
import { inside, projectKey, type ReadConversation } from "./projects";

/** How often to look for the answer that is being written: its reader follows no run. */
const whileWrittenMs = 10_000;

const isWritten = ({ messages }: ReadConversation) =>
  messages.some(
    (message) =>
      message.role === "assistant" && (message.status === "queued" || message.status === "running"),
  );

export const useReadConversation = (id: string, conversation: string) =>
  useQuery({
    queryKey: [...projectKey(id), "conversation", conversation],
    queryFn: () => json<ReadConversation>(inside(id, conversation)),
    refetchInterval: ({ state }) => (state.data && isWritten(state.data) ? whileWrittenMs : false),
    // A tab that stays open does not keep what was read in it.
    gcTime: 60_000,
  });
