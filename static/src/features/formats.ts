/** In which format a run deliberates, where it is not the council. */
import type { RunState } from "../run/state";
import { features } from ".";
import type { Format, MemberText } from "./feature";

/** Null for a council. */
export const formatOf = (run: RunState): Format | null =>
  features.find(({ format }) => format?.isIn(run))?.format ?? null;

/** What its members have said: their answers, or what the format has in their place. */
export const textsOf = (run: RunState): readonly MemberText[] =>
  formatOf(run)?.texts(run) ?? run.answers;

/** The texts among which a reader may choose the best one. */
export function choiceIn(run: RunState): readonly MemberText[] {
  const format = formatOf(run);
  return format ? (format.toChooseFrom?.(run) ?? []) : run.answers;
}

/** The members in their order, by which each has its colour. */
export const membersOf = (run: RunState): readonly string[] => [
  ...new Set(textsOf(run).map(({ seat }) => seat.member)),
];

/** Whether anything in this run came from the simulated provider. */
export const isSimulated = (run: RunState) =>
  run.synthesis.result?.simulated === true ||
  textsOf(run).some(({ result }) => result?.simulated === true);
