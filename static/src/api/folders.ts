/** Folders, into which a reader sorts the conversations of their own list. Nobody else sees them. */
import { useQuery } from "@tanstack/react-query";
import { api, json } from "./client";
import { askAgainMs, keys } from "./queries";
import type { Schemas } from "./types";

export type Folder = Schemas["FolderView"];

export const foldersPath = "/api/folders";
export const folderList = [...keys.conversations, "folders"] as const;

/** The most conversations of one folder that are shown: the server's longest page. */
export const mostInFolder = 500;

/**
 * The reader's folders, sorted by name. Their key begins with that of the lists of conversations, so
 * that whatever has the lists read again has the folders read again too.
 */
export const useFolders = (enabled: boolean) =>
  useQuery({
    queryKey: folderList,
    // One page has them all: a person may have 200, and without a limit a page has 1000.
    queryFn: async () => (await json<Schemas["FolderList"]>(foldersPath)).folders,
    enabled,
  });

/**
 * The conversations in each of these folders, by the folder's id. Another choice of folders is read
 * as a whole; until that has arrived, the conversations of the choice before are returned.
 */
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
