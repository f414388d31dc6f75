import { useState } from "react";
import { type Folder, useFolders, useInFolders } from "../../api/folders";
import type { ConversationSummary } from "../../api/types";
import { useOpenFolders } from "./open";

/** A folder of the list, with what is shown in it. */
export interface ShownFolder {
  folder: Folder;
  isOpen: boolean;
  /** Null while that is read, where it could not be, and where the folder is closed. */
  items: readonly ConversationSummary[] | null;
  /** How many of it stand elsewhere: above, among the pinned ones. */
  elsewhere: number;
  failed: { error: unknown; refetch: () => unknown } | null;
}

/** The folders of the list, where it has any: `pinned` are those that stand above them. */
export function useShownFolders(enabled: boolean, pinned: readonly ConversationSummary[]) {
  const all = useFolders(enabled);
  const open = useOpenFolders((state) => state.ids);
  const folders = (enabled && all.data) || [];
  const opened = folders.map(({ id }) => id).filter((id) => open.includes(id));
  const read = useInFolders(opened);
  const readOf = new Map(opened.map((id, at) => [id, read[at]]));
  // Those that are open at first come with the list; one that is opened later is read there.
  const isThere = !enabled || (all.isFetched && read.every(({ isFetched }) => isFetched));
  const [wasThere, setWasThere] = useState(isThere);
  if (isThere && !wasThere) setWasThere(true);
  const above = new Set(pinned.map(({ id }) => id));
  return {
    isReady: wasThere || isThere,
    failed: enabled && all.isError && !all.data ? all : null,
    folders: folders.map((folder): ShownFolder => {
      const inside = readOf.get(folder.id);
      return {
        folder,
        isOpen: readOf.has(folder.id),
        items: inside?.data?.filter(({ id }) => !above.has(id)) ?? null,
        elsewhere: pinned.filter(({ folder_id }) => folder_id === folder.id).length,
        failed: inside?.isError && !inside.data ? inside : null,
      };
    }),
  };
}
