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

/** How many have done it, and how many have failed: those are never counted among them. */
function progressOf(list: readonly { status: string }[]) {
  const ended = (as: string) => list.filter(({ status }) => status === as).length;
  return { done: ended("done"), failed: ended("failed"), all: list.length };
}

export const runProgress = (run: RunState) => ({
  answers: progressOf(run.answers),
  reviews: progressOf(run.reviews),
});

/**
 * Whether one seat alone is asked: a council has more. `to` is whom this page has asked, which it knows before anybody has
 * begun.
 */
export const asksOne = ({ answers }: RunState, to: string | null = null): boolean =>
  answers.length === 1 || (answers.length === 0 && to !== null);

/** How many of the members have answered. */
export function answeredText(run: RunState): string {
  const { answers } = runProgress(run);
  return answers.failed > 0
    ? t("{{done}} of {{all}} answered, {{failed}} failed", answers)
    : t("{{done}} of {{all}} answered", answers);
}

/** After a sentence that says how many have done it. */
const failedText = ({ failed }: { failed: number }) =>
  failed > 0 ? ` ${t("{{failed}} failed.", { failed })}` : "";

/** Where a run stands that has not begun because all places are taken; 1 is next. */
export const queueText = (position: number) =>
  position === 1
    ? t("Waiting for a free place: next in line")
    : t("Waiting for a free place: {{place}} in line", { place: ordinal(position) });

function readyText({ synthesis: { result } }: RunState): string {
  const heading = result && headingOf(result)?.said;
  return heading ? t("{{heading}} is ready.", { heading }) : t("The answer is ready.");
}

/** The reader is told that it was not themselves. */
export const isStoppedByAdmin = (run: RunState) => run.errorKind === "stopped_by_administrator";

/** Changes with stages and results, never with tokens: it is announced politely. */
export function describeRun(run: RunState): string {
  const { answers, reviews } = runProgress(run);
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
      if (asksOne(run)) return t("The answer is being written.");
      return `${t("Stage 1: {{done}} of {{count, number}} members have answered.", {
        done: answers.done,
        count: answers.all,
      })}${failedText(answers)}`;
    case "stage2":
      return `${t("Stage 2: {{done}} of {{count, number}} reviews are in.", {
        done: reviews.done,
        count: reviews.all,
      })}${failedText(reviews)}`;
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
  if (!run.facts) {
    const { reviews } = runProgress(run);
    return reviews.failed > 0
      ? t("{{done}} of {{all}} in, {{failed}} failed", reviews)
      : t("{{done}} of {{all}} in", reviews);
  }
  const { winner, winner_is_tie } = run.facts;
  if (!winner) return winner_is_tie ? t("no clear winner") : t("no winner");
  const member = shortName(winner);
  return winner_is_tie
    ? t("{{member}} narrowly ahead", { member })
    : t("{{member}} ranked best", { member });
}

/** Where the reviews of a run stand on the page. */
export const reviewsId = (run: RunState) => `reviews-${anchorOf(run)}`;
