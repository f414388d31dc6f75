import type { RunState } from "./state";

/** Calls that never ended when their run did. */
export function settle(run: RunState): RunState {
  const open = (status: string) => status === "waiting" || status === "writing";
  return {
    ...run,
    phase: "ended",
    queuePosition: null,
    answers: run.answers.map((a) => (open(a.status) ? { ...a, status: "failed" } : a)),
    reviews: run.reviews.map((r) => (open(r.status) ? { ...r, status: "failed" } : r)),
    synthesis:
      run.synthesis.status === "writing" ? { ...run.synthesis, status: "failed" } : run.synthesis,
  };
}
