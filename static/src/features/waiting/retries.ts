import type { AnswerState } from "../../run/state";

/** The server asks no member again more often in one run. */
const most = 3;

const isAtWork = ({ status, late }: AnswerState) =>
  (status === "waiting" || status === "writing") && !late;

/** Whether a member can be asked again in its run: it has failed, and others are waited for with it. */
export function canRetry(answer: AnswerState, answers: readonly AnswerState[]): boolean {
  const { status, late, result, tier } = answer;
  if (status !== "failed" || late || result?.error_fact?.code === "skipped") return false;
  if ((result?.retries ?? 0) >= most) return false;
  // Once a second tier is asked, nobody of the first one is.
  const isLast = answers.every((one) => (one.tier ?? 0) <= (tier ?? 0));
  return isLast && answers.some((one) => one.tier === tier && isAtWork(one));
}
