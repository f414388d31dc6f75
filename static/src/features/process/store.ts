import { create } from "zustand";
import { kept } from "../../ui/kept";

const key = "process-open";

/**
 * Whether the process monitor is open: kept, so that it is open for every run of a reader who wants
 * it.
 */
export const useMonitor = create<{ open: boolean }>(() => ({ open: kept.read(key) === "yes" }));

export function showMonitor(open: boolean) {
  kept.write(key, open ? "yes" : null);
  useMonitor.setState({ open });
}
