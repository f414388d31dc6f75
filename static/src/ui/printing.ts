/** Whether the page is laid out for paper: nothing on it can be opened there. */
import { flushSync } from "react-dom";
import { create } from "zustand";

export const usePrinting = create<{ printing: boolean }>(() => ({ printing: false }));

export const layOutForPaper = (printing: boolean) =>
  flushSync(() => usePrinting.setState({ printing }));

// Whichever way it is printed: the browser's own menu, too.
addEventListener("beforeprint", () => layOutForPaper(true));
addEventListener("afterprint", () => layOutForPaper(false));
