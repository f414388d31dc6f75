/** Which folders are open in the list; kept in this browser. All are closed at first. */
import { create } from "zustand";
import { kept } from "../../ui/kept";

const key = "folders";

export const useOpenFolders = create<{ ids: readonly string[] }>(() => ({
  ids: kept.read(key)?.split(" ") ?? [],
}));

export function openFolder(id: string, open: boolean) {
  const others = useOpenFolders.getState().ids.filter((other) => other !== id);
  const ids = open ? [...others, id] : others;
  kept.write(key, ids.length > 0 ? ids.join(" ") : null);
  useOpenFolders.setState({ ids });
}
