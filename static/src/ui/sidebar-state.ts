/** Whether the sidebar is folded away on a wide screen (kept), or drawn out on a narrow one. */
import { create } from "zustand";
import { kept } from "./kept";

const key = "sidebar";

export const narrowScreen = "(max-width: 859px)";

export const useSidebar = create<{ folded: boolean; drawn: boolean }>(() => ({
  folded: kept.read(key) === "folded",
  drawn: false,
}));

export function foldSidebar(folded: boolean) {
  kept.write(key, folded ? "folded" : null);
  useSidebar.setState({ folded });
}

export const drawSidebar = (drawn: boolean) => useSidebar.setState({ drawn });

/** Opens it where this screen has it, or closes it. */
export function toggleSidebar() {
  const { folded, drawn } = useSidebar.getState();
  if (matchMedia(narrowScreen).matches) drawSidebar(!drawn);
  else foldSidebar(!folded);
}

/** Into the search box, wherever it is. */
export function focusSearch() {
  if (matchMedia(narrowScreen).matches) drawSidebar(true);
  else foldSidebar(false);
  requestAnimationFrame(() => {
    for (const box of document.querySelectorAll<HTMLInputElement>(".search-all input")) {
      if (box.checkVisibility()) box.focus();
    }
  });
}
