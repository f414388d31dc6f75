/** The reader's own files, for the part of the settings that lists them. */
import { type InfiniteData, useInfiniteQuery } from "@tanstack/react-query";
import { json, last, request } from "./client";
import { asProblem } from "./problem";
import { pageSize, queryClient } from "./queries";
import type { Schemas } from "./types";

export type OwnFile = Schemas["Attachment"];
type List = Schemas["AttachmentList"];

const base = "/api/attachments";
const key = ["attachments"] as const;

/** The one uploaded last first. */
export const useOwnFiles = () =>
  useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam }) => json<List>(`${base}?limit=${pageSize}&offset=${pageParam}`),
    initialPageParam: 0,
    getNextPageParam: (last, pages) => {
      const seen = pages.reduce((sum, page) => sum + page.attachments.length, 0);
      return last.attachments.length > 0 && seen < last.total ? seen : undefined;
    },
    // A file may have been added, or a question asked with one, a moment ago.
    staleTime: 0,
  });

/** Deletes one that no question came with; it is out of the list, then, before that is read again. */
export async function removeOwnFile(id: string) {
  try {
    await request(`${base}/${encodeURIComponent(id)}`, last({ method: "DELETE" }));
  } catch (error) {
    if (asProblem(error).status !== 404) throw error;
  }
  queryClient.setQueryData<InfiniteData<List>>(key, (old) => {
    if (!old?.pages.some(({ attachments }) => attachments.some((file) => file.id === id))) {
      return old;
    }
    const pages = old.pages.map(({ attachments, total }) => ({
      attachments: attachments.filter((file) => file.id !== id),
      total: total - 1,
    }));
    return { ...old, pages };
  });
  void queryClient.invalidateQueries({ queryKey: key });
}
