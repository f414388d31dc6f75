/** How far a part has come, and how its best answer was found. */
import { msg, t } from "../../i18n";
import { isLive, type RunState } from "../../run/state";
import { shortName } from "../../ui/format";
import type { DecompositionState, PartState } from "./state";

/** How many members have answered a part. */
export const answeredIn = ({ answers }: PartState) =>
  answers.filter(({ status }) => status === "done").length;

const isAnswered = ({ result }: PartState) => Boolean(result?.best_member);

/** How many parts are through: with an answer, or with none. */
export const throughIn = ({ parts }: DecompositionState) =>
  parts.filter(({ result }) => result !== null).length;

export const answeredParts = ({ parts }: DecompositionState) => parts.filter(isAnswered).length;

export const partsIn = ({ parts, questions }: DecompositionState) =>
  Math.max(questions.length, parts.length);

const picks = {
  ballot: msg("ranked best by the ballots"),
  confidence: msg("by the surest member"),
  only: msg("the only answer"),
  first: msg("the first: nothing told them apart"),
};

/** How the best answer was found; null where there is none. */
export function pickedBy({ result }: PartState): string | null {
  const by = result?.picked_by;
  const isShared = (result?.ranking ?? []).filter(({ place }) => place === 1).length > 1;
  if (by === "ballot" && isShared) return t("tied for best by the ballots");
  return by && Object.hasOwn(picks, by) ? t(picks[by]) : null;
}

/** What goes on with a part, or what came of it where it has no best answer. */
export function standing(run: RunState, part: PartState | undefined): string {
  if (!part) return isLive(run) ? t("to come") : t("not asked");
  const { answers } = part;
  if (part.result) return t("nobody answered");
  if (!isLive(run)) return t("broken off");
  return answers.every(({ status }) => status === "done" || status === "failed")
    ? t("The answers are ranked…")
    : t("is being answered…");
}

/** “2/3”, with the words for those who hear it. */
export const countOf = (part: PartState) => ({
  short: `${answeredIn(part)}/${part.answers.length}`,
  long: t("{{done}} of {{all}} answered", { done: answeredIn(part), all: part.answers.length }),
});

export const winnerOf = ({ result }: PartState) =>
  result?.best_member ? shortName(result.best_member) : null;
