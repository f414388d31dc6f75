/** Folders: groups of the reader's own conversations, in their list alone. */
import { useQueries, useQuery } from "@tanstack/react-query";
import { api, json, send } from "./client";
import { askAgainMs, keys, queryClient, refreshConversations } from "./queries";
import type { ConversationSummary, Schemas } from "./types";

export type Folder = Schemas["FolderView"];

const base = "/api/folders";
const one = (id: string) => `${base}/${encodeURIComponent(id)}`;
const list = [...keys.conversations, "folders"] as const;

/** So many of a folder are shown, as many as the server gives at once. */
export const mostInFolder = 500;

/** By name. Beside the lists of conversations: what makes those be read anew does so with these. */
export const useFolders = (enabled: boolean) =>
  useQuery({
    queryKey: list,
    queryFn: async () => (await json<Schemas["FolderList"]>(base)).folders,
    enabled,
  });

/** What is in each of these, in their order; absent until it is read. */
export const useInFolders = (ids: readonly string[]) =>
  useQueries({
    queries: ids.map((id) => ({
      queryKey: [...list, id],
      queryFn: async () => (await api.conversations(0, mostInFolder, { folder: id })).items,
      refetchInterval: (query: { state: { data: readonly ConversationSummary[] | undefined } }) =>
        askAgainMs(query.state.data),
    })),
  });

export async function makeFolder(name: string): Promise<Folder> {
  const folder = await json<Folder>(base, send("POST", { name }));
  await queryClient.invalidateQueries({ queryKey: list, exact: true });
  return folder;
}

export async function renameFolder(id: string, name: string) {
  await json<unknown>(one(id), send("PATCH", { name }));
  await queryClient.invalidateQueries({ queryKey: list, exact: true });
}

export async function removeFolder(id: string) {
  await json<unknown>(one(id), { method: "DELETE" });
  await refreshConversations();
}

/** Into a folder, or with `null` out of the one that it is in. The lists are the caller's to read anew. */
export const putInFolder = (conversation: string, folder: string | null) =>
  json<unknown>(
    `/api/conversations/${encodeURIComponent(conversation)}`,
    send("PATCH", { folder_id: folder }),
  );
