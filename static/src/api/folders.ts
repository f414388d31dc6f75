/** Folders: groups of the reader's own conversations, in their list alone. */
import { useQuery } from "@tanstack/react-query";
import { api, json } from "./client";
import { askAgainMs, keys } from "./queries";
import type { Schemas } from "./types";

export type Folder = Schemas["FolderView"];

export const foldersPath = "/api/folders";
export const folderList = [...keys.conversations, "folders"] as const;

/** How many of a folder are shown: as many as the server gives at once. */
export const mostInFolder = 500;

/**
 * By name. Keyed next to the lists of conversations: what has those read again has these read again
 * too.
 */
export const useFolders = (enabled: boolean) =>
  useQuery({
    queryKey: folderList,
    // There can be no more than the server gives at once.
    queryFn: async () => (await json<Schemas["FolderList"]>(foldersPath)).folders,
    enabled,
  });

/** What is in each of these, by their ids. What was read of others stays until these are there. */
export const useInFolders = (ids: readonly string[]) =>
  useQuery({
    queryKey: [...folderList, "open", ...ids],
    queryFn: async () =>
      new Map(
        await Promise.all(
          ids.map(async (folder) => {
            const { items } = await api.conversations(0, mostInFolder, { folder });
            return [folder, items] as const;
          }),
        ),
      ),
    enabled: ids.length > 0,
    placeholderData: (before) => before,
    refetchInterval: (query) => askAgainMs([...(query.state.data?.values() ?? [])].flat()),
  });
