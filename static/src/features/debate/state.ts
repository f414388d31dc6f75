/** A debate: rounds of statements by speakers who answer each other. */
import type { AssistantMessage, Schemas, Seat } from "../../api/types";
import { acts } from "../../run/acts";
import type { Handlers } from "../../run/feature";
import { emptyReview, list, reviewFrom, seatOf, thought } from "../../run/parts";
import { sliceOf } from "../../run/slice";
import type { CallStatus, Phase, RunState } from "../../run/state";

/** What one speaker criticises in another: `of` is a label. */
export interface CritiqueOf {
  of: string;
  text: string;
}
export type Statement = Omit<Schemas["Statement"], "critiques"> & { critiques?: CritiqueOf[] };
type SpeakerSeat = Schemas["SpeakerSeat"];

/** What one speaker says in one round, from the first piece to the stored result. */
export interface StatementState {
  label: string;
  seat: Seat;
  status: CallStatus;
  since: string | null;
  text: string;
  reasoning: string;
  restarted: boolean;
  /** The labels of those whose words it answers. */
  repliesTo: readonly string[];
  result: Statement | null;
}

export interface RoundState {
  number: number;
  type: string;
  statements: readonly StatementState[];
}

export interface DebateState {
  mode: string;
  style: string | null;
  /** What the speakers are to do in each round. */
  roundTypes: readonly string[];
  /** The rounds that have begun. */
  rounds: readonly RoundState[];
}

const slice = sliceOf<DebateState | null>("debate", null);
/** Null where the run is no debate. */
export const debateOf = slice.of;

const begun: DebateState = { mode: "", style: null, roundTypes: [], rounds: [] };

const waiting = (speaker: SpeakerSeat, since: string | null): StatementState => ({
  label: speaker.label,
  seat: seatOf(speaker),
  status: "waiting",
  since,
  text: "",
  reasoning: "",
  restarted: false,
  repliesTo: list(speaker.replies_to),
  result: null,
});

function statementFrom(sent: Schemas["Statement"]): StatementState {
  // Another shape of the document has the same name as that of the critiques.
  const result = sent as unknown as Statement;
  const shared = { label: result.label, seat: seatOf(result), repliesTo: list(result.replies_to) };
  if (result.pending) return { ...waiting(result, null), ...shared };
  return {
    ...shared,
    status: result.error ? "failed" : "done",
    since: null,
    text: result.text ?? "",
    reasoning: result.reasoning ?? "",
    restarted: false,
    result,
  };
}

/** The server's name of a round's stage, and the run's phase while it is held. */
const stageOf = (round: number) => `round${round}` as Phase;

function begin(run: RunState, event: Schemas["DebateStart"]): RunState {
  return slice.with(
    { ...run, status: "running", queuePosition: null },
    {
      mode: event.mode ?? "",
      style: event.debate_style ?? null,
      roundTypes: list(event.round_types),
      rounds: [],
    },
  );
}

function beginRound(run: RunState, event: Schemas["RoundStart"]): RunState {
  const debate = slice.of(run) ?? begun;
  const round: RoundState = {
    number: event.round_number,
    type: event.round_type ?? "",
    statements: list(event.speakers).map((speaker) => waiting(speaker, event.started_at ?? null)),
  };
  const before = debate.rounds.filter(({ number }) => number !== round.number);
  return slice.with(
    { ...run, phase: stageOf(round.number) },
    { ...debate, rounds: [...before, round] },
  );
}

type Change = (entry: StatementState) => StatementState;

/** Changes what a member says in a round; the same run where nothing is changed, or it does not speak there. */
function change(run: RunState, round: number, member: string, by: Change): RunState {
  const debate = slice.of(run);
  const at = debate?.rounds.findIndex(({ number }) => number === round) ?? -1;
  const held = debate?.rounds[at];
  const place = held?.statements.findIndex(({ seat }) => seat.member === member) ?? -1;
  const old = held?.statements[place];
  if (!debate || !held || !old) return run;
  const next = by(old);
  if (next === old) return run;
  const changed = { ...held, statements: held.statements.with(place, next) };
  return slice.with(run, { ...debate, rounds: debate.rounds.with(at, changed) });
}

interface Piece {
  round_number: number;
  model: string;
  member?: string;
}

const memberOf = ({ member, model }: Piece) => member ?? model;

const writes = (run: RunState, event: Piece, field: "text" | "reasoning", piece: string) =>
  piece
    ? change(run, event.round_number, memberOf(event), (entry) =>
        entry.result ? entry : { ...entry, status: "writing", [field]: entry[field] + piece },
      )
    : run;

/** What was written before something was looked up is a thought, and no part of the statement. */
const thinks = (run: RunState, round: number, member: string) =>
  change(run, round, member, (entry) =>
    entry.result || entry.text === ""
      ? entry
      : { ...entry, text: "", reasoning: thought(entry.reasoning, entry.text) },
  );

/** A result keeps its place, and who was asked in it. */
const said = (run: RunState, round: number, data: Schemas["Statement"] | undefined) =>
  data ? change(run, round, data.member, ({ seat }) => ({ ...statementFrom(data), seat })) : run;

const rounds = {
  debate_start: begin,
  arena_start: begin,
  round_start: beginRound,
  round1_start: beginRound,
  round2_start: beginRound,
  round3_start: beginRound,
  // The round's start has named everybody.
  model_start: (run) => run,
  token: (run, event) => writes(run, event, "text", event.token),
  position_token: (run, event) => writes(run, event, "text", event.content),
  debate_critique_token: (run, event) => writes(run, event, "text", event.content),
  rebuttal_token: (run, event) => writes(run, event, "text", event.content),
  reasoning_token: (run, event) => writes(run, event, "reasoning", event.content),
  model_complete: (run, event) => said(run, event.round_number, event.data),
  position_complete: (run, event) => said(run, event.round_number, event.data),
  debate_critique_complete: (run, event) => said(run, event.round_number, event.data),
  rebuttal_complete: (run, event) => said(run, event.round_number, event.data),
  model_error: (run, event) => said(run, event.round_number, event.data),
  round_complete: (run, event) =>
    list(event.responses).reduce((now, data) => said(now, event.round_number, data), run),
  // What they list was told statement by statement.
  round1_complete: (run) => run,
  round2_complete: (run) => run,
  round3_complete: (run) => run,
  debate_complete: (run) => run,
} satisfies Partial<Handlers>;

/** The ballots over the openings stand where a council's reviews do; the debate goes on meanwhile. */
const ballots = {
  // Whoever has its ballot already keeps it: a server that takes a run over from an older one tells the start late.
  format_ballots_start: (run, event) => ({
    ...run,
    reviews: list(event.members).map(
      (member) =>
        run.reviews.find(({ seat }) => seat.member === member.member) ??
        emptyReview(seatOf(member), event.started_at ?? null),
    ),
    abstained: list(event.abstained),
  }),
  format_ballots_model_complete: (run, event) =>
    acts.stage2_model_complete(run, { ...event, type: "stage2_model_complete" }),
  format_ballots_complete: (run, { data, metadata }) => ({
    ...run,
    reviews: list(data).map(reviewFrom),
    labelToMember: metadata?.label_to_member ?? {},
    aggregate: list(metadata?.aggregate_rankings),
    facts: metadata?.aggregate ?? null,
    abstained: list(metadata?.abstained),
  }),
} satisfies Partial<Handlers>;

/** The judgment stands where a council's final answer does. */
const judgment = {
  judgment_start: (run, event) => acts.stage3_start(run, { ...event, type: "stage3_start" }),
  judgment_token: (run, event) => acts.stage3_token(run, { ...event, type: "stage3_token" }),
  judgment_error: (run, event) => acts.stage3_error(run, { ...event, type: "stage3_error" }),
  judgment_complete: (run, { data }) =>
    acts.stage3_complete(run, { data, type: "stage3_complete" }),
  synthesis_start: (run, event) => acts.stage3_start(run, { ...event, type: "stage3_start" }),
  synthesis_token: (run, event) => acts.stage3_token(run, { ...event, type: "stage3_token" }),
  synthesis_reasoning_token: (run, event) =>
    acts.stage3_reasoning_token(run, { ...event, type: "stage3_reasoning_token" }),
  synthesis_error: (run, event) => acts.stage3_error(run, { ...event, type: "stage3_error" }),
  synthesis_complete: (run, { data }) => {
    // With a label it is a draft of several chairmen.
    if (!data || "label" in data) return run;
    const { content: _same, metrics: _too, ...result } = data;
    return acts.stage3_complete(run, { data: result, type: "stage3_complete" });
  },
} satisfies Partial<Handlers>;

export const events = {
  ...rounds,
  ...ballots,
  ...judgment,
  tool_call: (run, { round, ...event }) =>
    typeof round === "number" ? thinks(run, round, event.member ?? event.model) : run,
  // A call that was lost and is made again: what it had written goes.
  call_restarted: (run, event) => {
    const round = /^round(\d+)$/.exec(event.stage)?.[1];
    if (round === undefined) return run;
    const member = event.member ?? event.model;
    return change(run, Number(round), member, (entry) => ({
      ...entry,
      status: "waiting",
      text: "",
      reasoning: "",
      restarted: true,
      result: null,
    }));
  },
} satisfies Partial<Handlers>;

export function settle(run: RunState): RunState {
  const debate = slice.of(run);
  if (!debate) return run;
  const close: Change = (entry) =>
    entry.status === "waiting" || entry.status === "writing"
      ? { ...entry, status: "failed" }
      : entry;
  return slice.with(run, {
    ...debate,
    rounds: debate.rounds.map((round) => ({ ...round, statements: round.statements.map(close) })),
  });
}

export function stored(run: RunState, _: unknown, message: AssistantMessage): RunState {
  const { mode, debate_style: style, round_types } = message;
  const held = list(message.rounds).map(
    ({ round_number: number, round_type: type, responses }): RoundState => ({
      number,
      type,
      statements: list(responses).map(statementFrom),
    }),
  );
  const roundTypes = list(round_types);
  if (!mode || roundTypes.length + held.length === 0) return run;
  const debate = slice.with(run, { mode, style: style ?? null, roundTypes, rounds: held });
  const isOver = message.status !== "running" && message.status !== "queued";
  if (isOver) return settle(debate);
  return run.synthesis.result ? debate : { ...debate, phase: stageOf(Math.max(1, held.length)) };
}
