/** The parts of a run's state, made from results and changed one seat at a time. */
import type { Answer, Review, Seat, Synthesis } from "../api/types";
import type { AnswerState, Failure, ReviewState, RunState, SynthesisState } from "./state";

export const seatOf = (named: {
  model?: string;
  member?: string | null;
  alias?: string | null;
}): Seat => ({
  model: named.model ?? "",
  member: named.member ?? named.alias ?? named.model ?? "",
  alias: named.alias ?? null,
});

export const emptyAnswer = (seat: Seat, since: string | null = null): AnswerState => ({
  seat,
  since,
  status: "waiting",
  text: "",
  reasoning: "",
  restarted: false,
  late: false,
  tier: null,
  result: null,
});

export function answerFrom(result: Answer): AnswerState {
  return {
    seat: seatOf(result),
    since: null,
    status: result.error ? "failed" : "done",
    text: result.response ?? "",
    reasoning: result.reasoning ?? "",
    restarted: false,
    late: result.late === true,
    tier: result.tier ?? null,
    result,
  };
}

/**
 * The answers once the reviews begin: those of the server's list as they were stored, and after
 * them the members it does not wait for any longer, at work as they are.
 */
export function withStored(
  answers: readonly AnswerState[],
  stored: readonly Answer[],
): readonly AnswerState[] {
  if (stored.length === 0) return answers;
  const rest = new Map(stored.map((result) => [seatOf(result).member, result]));
  const seated = answers.map((entry) => {
    const result = rest.get(entry.seat.member);
    rest.delete(entry.seat.member);
    if (result) return answerFrom(result);
    return entry.late || entry.result ? entry : { ...entry, late: true };
  });
  return [...seated, ...[...rest.values()].map(answerFrom)];
}

export function reviewFrom(result: Review): ReviewState {
  return { seat: seatOf(result), since: null, status: result.error ? "failed" : "done", result };
}

/** Whether older clients are told something in the place of an answer; here the failure itself is shown. */
const isPlaceholder = ({ error, error_kind, heading_fact }: Synthesis) =>
  Boolean(error) && (heading_fact ? heading_fact.code === "no_answer" : error_kind !== "cancelled");

export function synthesisFrom(
  result: Synthesis,
  failures: SynthesisState["failures"] = [],
): SynthesisState {
  return {
    status: result.error ? "failed" : "done",
    since: null,
    model: result.model ?? null,
    text: isPlaceholder(result) ? "" : (result.response ?? ""),
    reasoning: result.reasoning ?? "",
    restarted: false,
    failures,
    result,
  };
}

/** A chairman's failure, from the event that tells it. */
export const failureFrom = ({ model, error, error_kind, error_fact }: Failure): Failure => ({
  model,
  error,
  error_kind: error_kind ?? null,
  error_fact: error_fact ?? null,
});

/** `list` with the entry of this seat replaced, or the entry added when the seat is new. */
export function withSeat<T extends { seat: Seat }>(
  list: readonly T[],
  seat: Seat,
  fresh: (seat: Seat) => T,
  change: (entry: T) => T,
): readonly T[] {
  const at = list.findIndex((entry) => entry.seat.member === seat.member);
  const old = list[at];
  if (!old) return [...list, change(fresh(seat))];
  const next = change(old);
  return next === old ? list : list.with(at, next);
}

/** The members who are asked, before the first of them has written a word. */
export const withMembers = (
  run: RunState,
  members: readonly Parameters<typeof seatOf>[0][],
  since: string | null = null,
): RunState => ({
  ...run,
  status: "running",
  phase: "stage1",
  queuePosition: null,
  answers: members.map((member) => emptyAnswer(seatOf(member), since)),
});

export const withAnswer = (
  run: RunState,
  seat: Seat,
  change: (entry: AnswerState) => AnswerState,
): RunState => {
  const answers = withSeat(run.answers, seat, emptyAnswer, change);
  return answers === run.answers ? run : { ...run, answers };
};

/** A thought after those before it. */
export const thought = (before: string, text: string) =>
  before === "" ? text.trim() : `${before.trimEnd()}\n\n${text.trim()}`;

export const withSynthesis = (run: RunState, change: Partial<SynthesisState>): RunState => ({
  ...run,
  phase: "stage3",
  synthesis: { ...run.synthesis, ...change },
});

/** A complete revision in the answer's place; the first version stays next to it. */
export function revised(run: RunState, text: string | null | undefined): RunState {
  const { result } = run.synthesis;
  if (!result || typeof text !== "string" || result.response === text) return run;
  const next = {
    ...result,
    response: text,
    draft: result.draft ?? result.response,
    truncated: false,
  };
  return { ...run, synthesis: { ...run.synthesis, text, result: next } };
}

export const emptyReview = (seat: Seat, since: string | null = null): ReviewState => ({
  seat,
  since,
  status: "writing",
  result: null,
});

export const list = <T>(value: T[] | null | undefined): T[] => (Array.isArray(value) ? value : []);
