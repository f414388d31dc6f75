import { type ComponentType, useEffect, useState } from "react";
import { type Folder, useFolders, useInFolders } from "../../api/folders";
import type { ConversationSummary } from "../../api/types";
import { orMissing } from "../../ui/part";
import { useOpenFolders } from "./open";
import type { FoldersProps } from "./sidebar-folders";

/** A folder of the list, with what is shown in it. */
export interface ShownFolder {
  folder: Folder;
  isOpen: boolean;
  /** Null while that is read, where it could not be, and where the folder is closed. */
  items: readonly ConversationSummary[] | null;
  failed: { error: unknown; refetch: () => unknown } | null;
}

/** What draws folders, fetched where there are any. */
function usePart(wanted: boolean) {
  const [part, setPart] = useState<ComponentType<FoldersProps> | null>(null);
  useEffect(() => {
    if (!wanted) return;
    orMissing(import("./sidebar-folders")).then((module) => setPart(() => module.default));
  }, [wanted]);
  return part;
}

/** The folders of the list, where it has any. What is pinned stands in its folder, too. */
export function useShownFolders(enabled: boolean) {
  const all = useFolders(enabled);
  const open = useOpenFolders((state) => state.ids);
  const folders = (enabled && all.data) || [];
  const opened = folders.map(({ id }) => id).filter((id) => open.includes(id));
  const read = useInFolders(opened);
  const part = usePart(folders.length > 0);
  const isDrawn = folders.length === 0 || part !== null;
  // Those that are open at first come with the list; one that is opened later is read there.
  const isThere = !enabled || (all.isFetched && isDrawn && (opened.length === 0 || read.isFetched));
  const [wasThere, setWasThere] = useState(isThere);
  if (isThere && !wasThere) setWasThere(true);
  return {
    Part: part,
    isReady: wasThere || isThere,
    failed: enabled && all.isError && !all.data ? all : null,
    folders: folders.map((folder): ShownFolder => {
      const isOpen = opened.includes(folder.id);
      const inside = isOpen ? read.data?.get(folder.id) : undefined;
      return {
        folder,
        isOpen,
        items: inside ?? null,
        failed: isOpen && !inside && read.isError ? read : null,
      };
    }),
  };
}
