/** A run in sentences: for the status line that is read out, and for the heads of sections. */
import type { ErrorKind, ParseKind } from "../../api/types";
import { language, msg, t } from "../../i18n";
import type { RunState } from "../../run/state";
import { ordinal, shortName } from "../../ui/format";
import { chairmenSummary } from "../chairmen/summary";
import { headingText } from "./heading";

export const errorTitles: Record<ErrorKind, string> = {
  auth: msg("The provider refused the key"),
  rate_limited: msg("The provider's limit was reached"),
  overloaded: msg("The provider was overloaded"),
  context_too_long: msg("The question was too long for this model"),
  refused: msg("The provider refused the request"),
  timeout: msg("No answer in time"),
  bad_response: msg("The provider's answer made no sense"),
  budget: msg("A budget is reached"),
  cancelled: msg("Stopped"),
};

/** What went wrong, to go on with within a line. */
export function errorReason(kind: ErrorKind): string {
  const title = t(errorTitles[kind]);
  return language() === "en" ? title.toLowerCase() : title;
}

export const parseNotes: Record<ParseKind, { badge: string; meaning: string }> = {
  strict: {
    badge: msg("ballot as asked"),
    meaning: msg("The ranking was written exactly as asked."),
  },
  lenient: {
    badge: msg("read leniently"),
    meaning: msg("The ranking was there, in another form than asked."),
  },
  fallback: {
    badge: msg("read by order of mention"),
    meaning: msg("There was no ranking; this is the order in which the answers were first named."),
  },
  none: { badge: msg("abstention"), meaning: msg("No ranking could be read from this review.") },
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

/** What refinement does now, without the words of any text. */
export function refinementNow({ refinement }: RunState): string {
  const now = refinement?.iterations.at(-1);
  if (!refinement || !now) return t("the draft is criticised");
  const at = { round: now.iteration, most: refinement.maxIterations };
  switch (now.status) {
    case "revising":
      return t("round {{round}} of at most {{most}}, the draft is revised", at);
    case "done":
      return t("round {{round}} of at most {{most}}, the draft was revised", at);
    case "stopped":
      return t("round {{round}} of at most {{most}}, nothing is left to revise", at);
    case "critiques":
      return t("round {{round}} of at most {{most}}, {{done}} of {{count, number}} critiques in", {
        ...at,
        done: now.critiques.length,
        count: now.asked,
      });
  }
}

/** Changes with stages and results, never with tokens: it is announced politely. */
export function describeRun(run: RunState): string {
  const { answersEnded, reviewsEnded } = runProgress(run);
  switch (run.status) {
    case "complete":
      return run.synthesis.result?.heading
        ? t("{{heading}} is ready.", { heading: headingText(run.synthesis.result.heading) })
        : t("The answer is ready.");
    case "failed":
      return run.error
        ? t("The run failed. {{error}}", { error: run.error })
        : t("The run failed.");
    case "cancelled":
      return t("The run was stopped. What had arrived is kept.");
    case "queued":
    case "running":
      break;
  }
  switch (run.phase) {
    case "waiting":
      if (run.queuePosition !== null) return `${queueText(run.queuePosition)}.`;
      return t("The council is being called.");
    case "routing":
      return t("Finding out who should answer.");
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
      if (run.consensus?.is_consensus) return t("The council agreed: nobody has to write.");
      if (run.chairmen && run.synthesis.text === "") {
        return t("Stage 3: {{now}}.", { now: chairmenSummary(run.chairmen) });
      }
      if (run.synthesis.model === null) {
        return t("Stage 3: the chairman writes the final answer.");
      }
      return t("Stage 3: {{model}} writes the final answer.", {
        model: shortName(run.synthesis.model),
      });
    case "refinement":
      return t("Refinement: {{now}}.", { now: refinementNow(run) });
    case "adversary":
      return run.adversary?.status === "revising"
        ? t("Devil’s advocate: the answer is revised.")
        : t("Devil’s advocate: the answer is attacked.");
    case "ended":
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
export const reviewsId = (run: RunState) => `reviews-${run.runId}`;
