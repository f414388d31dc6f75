/** Whether what is under way stands on the branch that is shown. */
import type { Conversation } from "../../api/types";
import type { LiveRun } from "../asking/runs";

/**
 * The page knows where the run's answer stands, and that is on another branch. What was read before the run was asked
 * for does not know of it, and where there is one branch there is no other. (A question may be asked before the answer
 * to the one before it was read: what the page knew is then older than what it reads next.)
 */
export function isElsewhere({ run, knew, parent }: LiveRun, shown: Conversation): boolean {
  const has = (message: string) => shown.messages.some(({ id }) => id === message);
  if (shown.branches < 2) return false;
  // Where its answer will stand is not known yet, but what its question goes on from.
  if (run.messageId === null) return typeof parent === "string" && !has(parent);
  if (has(run.messageId)) return false;
  return knew === null || shown.message_count > knew;
}

/** The answer that is being written on another branch than the one that is shown. */
export function liveElsewhere({ live, messages }: Conversation) {
  return live && !messages.some(({ id }) => id === live.message_id) ? live : null;
}
