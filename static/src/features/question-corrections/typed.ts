/** What is typed as a correction and not added yet, by its run; in this tab it outlives a reload. */
import { keptInTab } from "../../ui/kept";

const keyOf = (runId: string) => `correction:${runId}`;

export const typed = {
  read: (runId: string) => keptInTab.read(keyOf(runId)) ?? "",
  write: (runId: string, text: string) => keptInTab.write(keyOf(runId), text || null),
};
