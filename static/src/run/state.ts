/** What a run looks like at one moment: the only thing the views of a deliberation read. */
import type {
  Abstention,
  AggregateConfidence,
  AggregateFacts,
  AggregateRow,
  Answer,
  BudgetState,
  Costs,
  CouncilEvent,
  Ignored,
  NoteCategory,
  OwnPrompt,
  Reason,
  Review,
  RunStatus,
  Schemas,
  Seat,
  Stage,
  Synthesis,
} from "../api/types";

export type CallStatus = "waiting" | "writing" | "done" | "failed";

/** One member's answer, from the first token to the stored result. */
export interface AnswerState {
  seat: Seat;
  status: CallStatus;
  /** What has arrived so far; the result's text once it is there. */
  text: string;
  reasoning: string;
  restarted: boolean;
  /** The reviews began without this answer: nobody reviewed it, or will. */
  late: boolean;
  /** Which tier it belongs to, 1 or 2, where the run may escalate. */
  tier: number | null;
  /** When it was asked, by the server's clock; null where nobody said. */
  since: string | null;
  result: Answer | null;
}

export interface ReviewState {
  seat: Seat;
  status: CallStatus;
  since: string | null;
  result: Review | null;
}

/** A chairman who failed, and why. */
export interface Failure extends Reason {
  model: string;
}

export interface SynthesisState {
  status: CallStatus;
  since: string | null;
  model: string | null;
  text: string;
  reasoning: string;
  restarted: boolean;
  /** Chairmen who failed before the one that writes now. */
  failures: readonly Failure[];
  result: Synthesis | null;
}

/** A sentence of the process monitor. */
export interface ProcessNote {
  message: string;
  /** The message as a code with parameters; null from an older server. */
  fact: Schemas["ProcessFact"] | null;
  category: NoteCategory;
  level: number;
  /** RFC 3339, UTC. */
  timestamp: string;
  details: Readonly<Record<string, unknown>> | null;
}

export const noteFrom = (event: Extract<CouncilEvent, { type: "process" }>): ProcessNote => {
  const { message, message_fact: fact, category, level, timestamp, details } = event;
  return { message, fact: fact ?? null, category, level, timestamp, details: details ?? null };
};

/** A stage by the server's name of it, or what is around them. */
export type Phase = Stage | "waiting" | "ended";

export interface RunState {
  runId: string | null;
  conversationId: string | null;
  messageId: string | null;
  status: RunStatus;
  phase: Phase;
  /** The place in the queue for a free place at the server, 1 is next; null when in none. */
  queuePosition: number | null;
  error: string | null;
  /** Why it failed, in one word, where the server says. */
  errorKind: string | null;
  /** Options that were switched on and do not apply, each with its reason. */
  ignored: readonly Ignored[];
  /** Which texts that its models are asked with are the administrator's own. */
  prompts: readonly OwnPrompt[];
  answers: readonly AnswerState[];
  confidence: AggregateConfidence | null;
  reviews: readonly ReviewState[];
  /** Members that were not asked to review. */
  abstained: readonly Abstention[];
  labelToMember: Readonly<Record<string, string>>;
  aggregate: readonly AggregateRow[];
  facts: AggregateFacts | null;
  synthesis: SynthesisState;
  /** What each feature keeps of the run, under its name; read through its `Slice`. */
  slices: Readonly<Record<string, unknown>>;
  /** Whether the run's events tell what goes on, sentence by sentence. */
  hasLog: boolean;
  /** The sentences of the process monitor in order, as far as this page has followed the run. */
  notes: readonly ProcessNote[];
  /** Budgets that are nearly used up. */
  budgets: readonly BudgetState[];
  costs: Costs | null;
  title: string | null;
  /** It ended before this page was opened, and no more of it is read yet than how, and its final answer's text. */
  brief: boolean;
}

export const noSynthesis: SynthesisState = {
  status: "waiting",
  since: null,
  model: null,
  text: "",
  reasoning: "",
  restarted: false,
  failures: [],
  result: null,
};

/** What the ids of its parts on the page end with: an answer that is shared, or brought along, has no run's. */
export const anchorOf = ({ messageId, runId }: Pick<RunState, "messageId" | "runId">) =>
  messageId ?? runId ?? "run";

export const newRun: RunState = {
  runId: null,
  conversationId: null,
  messageId: null,
  status: "queued",
  phase: "waiting",
  queuePosition: null,
  error: null,
  errorKind: null,
  ignored: [],
  prompts: [],
  answers: [],
  confidence: null,
  reviews: [],
  abstained: [],
  labelToMember: {},
  aggregate: [],
  facts: null,
  synthesis: noSynthesis,
  slices: {},
  hasLog: false,
  notes: [],
  budgets: [],
  costs: null,
  title: null,
  brief: false,
};

export const isLive = (run: RunState) => run.status === "queued" || run.status === "running";
