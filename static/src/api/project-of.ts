/** Where a conversation of somebody else's can be read. */
import { useQuery } from "@tanstack/react-query";
import { asProblem } from "./problem";
import { projectsQuery, readQuery } from "./projects";
import { queryClient } from "./queries";

/** So many are asked at once. */
const atOnce = 6;

/** No answer of the server's says in which project a conversation is: each of the reader's is asked for it. */
async function projectOf(conversation: string): Promise<string | null> {
  const projects = await queryClient.fetchQuery(projectsQuery);
  const has = async ({ id }: { id: string }) => {
    try {
      await queryClient.fetchQuery(readQuery(id, conversation));
      return id;
    } catch (error) {
      if (asProblem(error).status === 404) return null;
      throw error;
    }
  };
  for (let at = 0; at < projects.length; at += atOnce) {
    const found = await Promise.all(projects.slice(at, at + atOnce).map(has));
    const [first] = found.filter((id) => id !== null);
    if (first) return first;
  }
  return null;
}

/** The project in which the reader may read it; null where there is none. */
export const useProjectOf = (conversation: string) =>
  useQuery({
    queryKey: ["project-of", conversation],
    queryFn: () => projectOf(conversation),
    // As long as what it was found by.
    gcTime: 60_000,
  });
