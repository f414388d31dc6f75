/** Where another user's conversation can be read. */
import { useQuery } from "@tanstack/react-query";
import { json } from "./client";
import { asProblem } from "./problem";
import type { Schemas } from "./types";

async function projectOf(conversation: string): Promise<string | null> {
  const path = `/api/conversations/${encodeURIComponent(conversation)}/project`;
  try {
    return (await json<Schemas["ProjectOfConversation"]>(path)).project_id;
  } catch (error) {
    if (asProblem(error).status === 404) return null;
    throw error;
  }
}

/** The project in which the reader may read it; null where there is none. */
export const useProjectOf = (conversation: string) =>
  useQuery({
    queryKey: ["project-of", conversation],
    queryFn: () => projectOf(conversation),
    gcTime: 60_000,
  });
