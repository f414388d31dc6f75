/** A run in sentences: for the status line that is read out, and for the heads of sections. */
import type { Abstention, ParseKind } from "../../api/types";
import { msg, t } from "../../i18n";
import { anchorOf, type RunState } from "../../run/state";
import { ordinal, shortName } from "../../ui/format";
import { features } from "..";
import { runFailure } from "../failures/run-failure";
import { headingOf } from "./heading";

export const parseNotes: Record<ParseKind, { badge: string; meaning: string }> = {
  strict: {
    badge: msg("ranking in the requested form"),
    meaning: msg("The ranking was written exactly as asked."),
  },
  lenient: {
    badge: msg("ranking in another form"),
    meaning: msg("The ranking was there, in another form than asked."),
  },
  fallback: {
    badge: msg("ranking by order of mention"),
    meaning: msg("There was no ranking; this is the order in which the answers were first named."),
  },
  none: { badge: msg("abstention"), meaning: msg("No ranking could be read from this review.") },
};

export const abstentionNotes: Record<Abstention["reason"], string> = {
  no_answer: msg("abstained: failed in the answers"),
  no_review: msg("abstained: failed in the reviews before"),
  late: msg("abstained: was still answering"),
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
  position === 1
    ? t("Waiting for a free place: next in line")
    : t("Waiting for a free place: {{place}} in line", { place: ordinal(position) });

function readyText({ synthesis: { result } }: RunState): string {
  const heading = result && headingOf(result)?.said;
  return heading ? t("{{heading}} is ready.", { heading }) : t("The answer is ready.");
}

/** Whoever asked is told that it was not themselves. */
export const isStoppedByAdmin = (run: RunState) => run.errorKind === "stopped_by_administrator";

/** Changes with stages and results, never with tokens: it is announced politely. */
export function describeRun(run: RunState): string {
  const { answersEnded, reviewsEnded } = runProgress(run);
  switch (run.status) {
    case "complete":
      return readyText(run);
    case "failed":
      return runFailure(run).what;
    case "cancelled":
      return isStoppedByAdmin(run)
        ? t("An administrator stopped the run. What had arrived is kept.")
        : t("The run was stopped. What had arrived is kept.");
    case "queued":
    case "running":
      break;
  }
  for (const { describe } of features) {
    const said = describe?.(run);
    if (said) return said;
  }
  switch (run.phase) {
    case "waiting":
      if (run.queuePosition !== null) return `${queueText(run.queuePosition)}.`;
      return t("The council is being called.");
    case "stage1":
      return t("Stage 1: {{done}} of {{count, number}} members have answered.", {
        done: answersEnded,
        count: run.answers.length,
      });
    case "stage2":
      return t("Stage 2: {{done}} of {{count, number}} reviews are in.", {
        done: reviewsEnded,
        count: run.reviews.length,
      });
    case "stage3":
      if (run.synthesis.model === null) {
        return t("Stage 3: the chairman writes the final answer.");
      }
      return t("Stage 3: {{model}} writes the final answer.", {
        model: shortName(run.synthesis.model),
      });
    default:
      return "";
  }
}

/** Who is best by the reviews, or how many of them are in. */
export function reviewsSummary(run: RunState): string {
  if (!run.facts)
    return t("{{done}} of {{all}} in", {
      done: runProgress(run).reviewsEnded,
      all: run.reviews.length,
    });
  const { winner, winner_is_tie } = run.facts;
  if (!winner) return winner_is_tie ? t("no clear winner") : t("no winner");
  const member = shortName(winner);
  return winner_is_tie
    ? t("{{member}} narrowly ahead", { member })
    : t("{{member}} ranked best", { member });
}

/** Where the reviews of a run stand on the page. */
export const reviewsId = (run: RunState) => `reviews-${anchorOf(run)}`;
