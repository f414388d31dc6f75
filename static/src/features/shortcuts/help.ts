import { create } from "zustand";

/** Whether the sheet of keyboard shortcuts is open. */
export const useHelp = create<{ open: boolean }>(() => ({ open: false }));

export const showHelp = (open: boolean) => useHelp.setState({ open });
