/** A question taken apart: what its parts are, and what every member answers to each. */
import type { AssistantMessage, Schemas } from "../../api/types";
import { acts } from "../../run/acts";
import type { Handlers } from "../../run/feature";
import { answerFrom, emptyAnswer, list, seatOf } from "../../run/parts";
import { sliceOf } from "../../run/slice";
import type { AnswerState, Phase, RunState } from "../../run/state";

type SubResult = Schemas["SubResult"];

export interface PartState {
  /** From 0. */
  index: number;
  question: string;
  answers: readonly AnswerState[];
  /** Absent until the answers to this part are all there, and judged. */
  result: SubResult | null;
}

export interface DecompositionState {
  complexity: Schemas["Complexity"] | null;
  /** Why the council answers instead; null where it does not. */
  skip: { reason: string; fact: Schemas["SkipFact"] | null } | null;
  questions: readonly string[];
  /** The parts that have been asked. */
  parts: readonly PartState[];
}

const slice = sliceOf<DecompositionState | null>("decomposition", null);
/** Null where nobody asked for the question to be taken apart. */
export const decompositionOf = slice.of;

/** Null, too, where the council answers the question as it is. */
export const apart = (run: RunState): DecompositionState | null => {
  const state = slice.of(run);
  return state?.skip ? null : state;
};

const begun: DecompositionState = { complexity: null, skip: null, questions: [], parts: [] };

/** The server's name of a part's stage. */
const stageOf = (index: number) => `sub${index + 1}` as Phase;

const partFrom = (sent: SubResult): PartState => {
  const answers = list(sent.responses).map((answer) =>
    answer.pending ? emptyAnswer(seatOf(answer)) : answerFrom(answer),
  );
  const isOpen = !sent.best_member && answers.some(({ status }) => status !== "failed");
  return {
    index: sent.index,
    question: sent.sub_question,
    answers,
    result: isOpen ? null : sent,
  };
};

const withState = (run: RunState, change: Partial<DecompositionState>): RunState =>
  slice.with(run, { ...(slice.of(run) ?? begun), ...change });

/** The part in its place among those that are there. */
function put(run: RunState, part: PartState): RunState {
  const others = (slice.of(run) ?? begun).parts.filter(({ index }) => index !== part.index);
  return withState(run, { parts: [...others, part].toSorted((a, b) => a.index - b.index) });
}

/** Changes what a member answers to a part; the same run where it is not asked, or nothing is changed. */
function change(
  run: RunState,
  index: number,
  member: string,
  by: (entry: AnswerState) => AnswerState,
): RunState {
  const part = slice.of(run)?.parts.find((one) => one.index === index);
  const at = part?.answers.findIndex(({ seat }) => seat.member === member) ?? -1;
  const old = part?.answers[at];
  if (!part || !old) return run;
  const next = by(old);
  return next === old ? run : put(run, { ...part, answers: part.answers.with(at, next) });
}

const parts = {
  decomposition_start: (run) =>
    slice.with(
      { ...run, status: "running", phase: "decomposition" as const, queuePosition: null },
      begun,
    ),
  complexity_analyzed: (run, event) => {
    const { is_complex, confidence = null, reasoning, indicators } = event;
    return withState(run, {
      complexity: { is_complex, confidence, reasoning, indicators: list(indicators) },
    });
  },
  decomposition_skip: (run, event) =>
    withState(run, { skip: { reason: event.reason ?? "", fact: event.reason_fact ?? null } }),
  sub_questions_generated: (run, event) => withState(run, { questions: list(event.sub_questions) }),
  sub_council_start: (run, event) =>
    put(
      { ...run, phase: stageOf(event.index) },
      {
        index: event.index,
        question: event.sub_question,
        answers: list(event.members).map((member) =>
          emptyAnswer(seatOf(member), event.started_at ?? null),
        ),
        result: null,
      },
    ),
  sub_council_response: (run, { index, data }) =>
    data ? change(run, index, data.member, ({ seat }) => ({ ...answerFrom(data), seat })) : run,
  sub_council_complete: (run, { data }) => (data ? put(run, partFrom(data)) : run),
  // What they list was told part by part.
  all_sub_councils_complete: (run) => run,
  decomposition_complete: (run) => run,
} satisfies Partial<Handlers>;

/** What is put together stands where a council's final answer does. */
const merge = {
  merge_start: (run, event) => acts.stage3_start(run, { ...event, type: "stage3_start" }),
  merge_token: (run, event) => acts.stage3_token(run, { ...event, type: "stage3_token" }),
  merge_reasoning_token: (run, event) =>
    acts.stage3_reasoning_token(run, { ...event, type: "stage3_reasoning_token" }),
  merge_error: (run, event) => acts.stage3_error(run, { ...event, type: "stage3_error" }),
  merge_complete: (run, { data }) => acts.stage3_complete(run, { data, type: "stage3_complete" }),
} satisfies Partial<Handlers>;

export const events = {
  ...parts,
  ...merge,
  // Answers to parts come whole, and a ballot that is asked for again takes none of them back.
  call_restarted: (run, event) => {
    const part = /^sub(\d+)$/.exec(event.stage)?.[1];
    if (part === undefined) return run;
    return change(run, Number(part) - 1, event.member ?? event.model, (entry) =>
      entry.result ? entry : { ...entry, restarted: true },
    );
  },
} satisfies Partial<Handlers>;

export function settle(run: RunState): RunState {
  const state = slice.of(run);
  if (!state) return run;
  const close = (entry: AnswerState): AnswerState =>
    entry.status === "waiting" || entry.status === "writing"
      ? { ...entry, status: "failed" }
      : entry;
  return slice.with(run, {
    ...state,
    parts: state.parts.map((part) => ({ ...part, answers: part.answers.map(close) })),
  });
}

export function stored(run: RunState, _: unknown, message: AssistantMessage): RunState {
  const { decomposition: held, status } = message;
  if (!held) return run;
  const { complexity, skip_reason: reason, skip_fact: fact } = held;
  const read = withState(run, {
    complexity: complexity ? { ...complexity, confidence: complexity.confidence ?? null } : null,
    skip: typeof reason === "string" ? { reason, fact: fact ?? null } : null,
    questions: list(held.sub_questions),
    parts: list(held.sub_results).map(partFrom),
  });
  if (status !== "running" && status !== "queued") return settle(read);
  const state = apart(read);
  if (!state || run.synthesis.result) return read;
  const last = state.parts.at(-1);
  return { ...read, phase: last ? stageOf(last.index) : "decomposition" };
}
