/** A run in sentences: for the status line that is read out, and for the heads of sections. */
import type { ErrorKind, ParseKind } from "../../api/types";
import type { RunState } from "../../run/state";
import { ordinal, plural, shortName } from "../../ui/format";
import { chairmenSummary } from "../chairmen/summary";

export const errorTitles: Record<ErrorKind, string> = {
  auth: "The provider refused the key",
  rate_limited: "The provider's limit was reached",
  overloaded: "The provider was overloaded",
  context_too_long: "The question was too long for this model",
  refused: "The model declined to answer",
  timeout: "No answer in time",
  bad_response: "The provider's answer made no sense",
  cancelled: "Stopped",
};

export const parseNotes: Record<ParseKind, { badge: string; meaning: string }> = {
  strict: { badge: "read as asked", meaning: "The ranking was written exactly as asked." },
  lenient: {
    badge: "read leniently",
    meaning: "The ranking was there, in another form than asked.",
  },
  fallback: {
    badge: "read by order of mention",
    meaning: "There was no ranking; this is the order in which the answers were first named.",
  },
  none: { badge: "abstention", meaning: "No ranking could be read from this review." },
};

export function runProgress(run: RunState) {
  const ended = <T extends { status: string }>(list: readonly T[]) =>
    list.filter((entry) => entry.status === "done" || entry.status === "failed").length;
  return {
    answered: run.answers.filter((answer) => answer.status === "done").length,
    answersEnded: ended(run.answers),
    reviewsEnded: ended(run.reviews),
  };
}

/** Where a run stands that has not begun because all places are taken; 1 is next. */
export const queueText = (position: number) =>
  `Waiting for a free place: ${position === 1 ? "next" : ordinal(position)} in line`;

/** What refinement does now, without the words of any text. */
export function refinementNow({ refinement }: RunState): string {
  const now = refinement?.iterations.at(-1);
  if (!refinement || !now) return "the draft is criticised";
  const round = `round ${now.iteration} of at most ${refinement.maxIterations}`;
  if (now.status === "revising") return `${round}, the draft is revised`;
  if (now.status === "done") return `${round}, the draft was revised`;
  if (now.status === "stopped") return `${round}, nothing is left to revise`;
  return `${round}, ${now.critiques.length} of ${plural(now.asked, "critique")} in`;
}

/** Changes with stages and results, never with tokens: it is announced politely. */
export function describeRun(run: RunState): string {
  const { answersEnded, reviewsEnded } = runProgress(run);
  switch (run.status) {
    case "complete":
      return `${run.synthesis.result?.heading ?? "The answer"} is ready.`;
    case "failed":
      return `The run failed. ${run.error ?? ""}`;
    case "cancelled":
      return "The run was stopped. What had arrived is kept.";
    case "queued":
    case "running":
      break;
  }
  switch (run.phase) {
    case "waiting":
      if (run.queuePosition !== null) return `${queueText(run.queuePosition)}.`;
      return "The council is being called.";
    case "routing":
      return "Finding out who should answer.";
    case "stage1":
      return `Stage 1: ${answersEnded} of ${plural(run.answers.length, "member")} have answered.`;
    case "stage2":
      return `Stage 2: ${reviewsEnded} of ${plural(run.reviews.length, "review")} are in.`;
    case "stage3":
      if (run.consensus?.is_consensus) return "The council agreed: nobody has to write.";
      if (run.chairmen && run.synthesis.text === "") {
        return `Stage 3: ${chairmenSummary(run.chairmen)}.`;
      }
      return `Stage 3: ${shortName(run.synthesis.model ?? "the chairman")} writes the final answer.`;
    case "refinement":
      return `Refinement: ${refinementNow(run)}.`;
    case "adversary":
      return run.adversary?.status === "revising"
        ? "Devil’s advocate: the answer is revised."
        : "Devil’s advocate: the answer is attacked.";
    case "ended":
      return "";
  }
}
