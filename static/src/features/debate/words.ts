/** What rounds, speakers and places are called. */
import { msg, t } from "../../i18n";
import { ordinal, shortName } from "../../ui/format";
import type { DebateState, RoundState, StatementState } from "./state";

/** The server's words for what is done in a round, as titles. */
const titles: Record<string, string> = {
  position: msg("Positions"),
  initial: msg("First answers"),
  opening: msg("Openings"),
  critique: msg("Critiques"),
  defense: msg("Revised answers"),
  rebuttal: msg("Rebuttals"),
  closing: msg("Closing statements"),
};

export function roundTitle(type: string): string {
  const title = Object.hasOwn(titles, type) ? titles[type] : undefined;
  return title === undefined ? type : t(title);
}

/** “Round 2 of 3 · Rebuttals” */
export const roundOf = (
  debate: DebateState,
  { number, type }: Pick<RoundState, "number" | "type">,
) =>
  t("Round {{number}} of {{all}} · {{title}}", {
    number,
    all: Math.max(debate.roundTypes.length, debate.rounds.length),
    title: roundTitle(type),
  });

/** `Participant A` as the letter that it is; of a model's id the name. */
export const shortLabel = (label: string) =>
  /^Participant ([A-Z])$/.exec(label)?.[1] ?? shortName(label);

/** The label in the reader's language. */
export function labelText(label: string): string {
  const letter = /^Participant ([A-Z])$/.exec(label)?.[1];
  return letter === undefined ? shortName(label) : t("Participant {{letter}}", { letter });
}

/** How many of a round have spoken, or failed. */
export const endedIn = ({ statements }: RoundState) =>
  statements.filter(({ status }) => status === "done" || status === "failed").length;

/** How many of those have failed. */
export const failedIn = ({ statements }: RoundState) =>
  statements.filter(({ status }) => status === "failed").length;

/** The latest round before this one in which a speaker has said something; null for none. */
export function roundBefore(debate: DebateState, before: number, label: string): RoundState | null {
  const spoke = ({ statements }: RoundState) => statements.some((one) => one.label === label);
  return debate.rounds.findLast((round) => round.number < before && spoke(round)) ?? null;
}

/** Who criticises a statement of its own accord: the one speaker that was set on it, in the next round. */
export function criticOf(debate: DebateState, { number }: RoundState, label: string) {
  const next = debate.rounds.find((round) => round.number === number + 1);
  const critic = next?.statements.find(
    ({ result, repliesTo }) =>
      result?.critique_of === label || (next.type === "critique" && repliesTo.join() === label),
  );
  return next && critic ? { round: next.number, label: critic.label } : null;
}

export interface Move {
  label: string;
  member: string;
  /** The place of its opening by the ballots, in words; null where there are none. */
  place: string | null;
  /** Absent where it was asked and did not say. */
  changed: boolean | undefined;
  after: readonly string[];
  why: string;
  /** The round in which it said so. */
  round: number;
}

/** Who has changed its mind, as the speakers say in their last statements; empty where nobody was asked. */
export function movesOf(debate: DebateState, placeOf: (member: string) => number | null): Move[] {
  const speakers = debate.rounds[0]?.statements ?? [];
  return speakers.flatMap(({ label, seat }): Move[] => {
    const said = debate.rounds.flatMap(({ number, statements }) =>
      statements
        .filter((one) => one.label === label)
        .flatMap(({ result }) => (result?.position ? [{ number, position: result.position }] : [])),
    );
    const last = said.at(-1);
    if (!last) return [];
    // Whoever changed its mind in an earlier round has changed it.
    const { number, position } = said.findLast((one) => one.position.changed) ?? last;
    const place = placeOf(seat.member);
    return [
      {
        label,
        member: seat.member,
        place: place === null ? null : ordinal(place),
        changed: position.changed ?? undefined,
        after: position.after ?? [],
        why: position.why ?? "",
        round: number,
      },
    ];
  });
}

/** A text without its marks, for a line or two of it. */
export const beginningOf = ({ text }: StatementState) =>
  text
    .slice(0, 600)
    .replace(/^_[^_\n]*_\s*$/m, "")
    .replace(/[*_`#>|]+/g, "")
    .replace(/\s+/g, " ")
    .trim()
    .slice(0, 240);
