/** What a run looks like at one moment: the only thing the views of a deliberation read. */
import type {
  AggregateConfidence,
  AggregateFacts,
  AggregateRow,
  Answer,
  BudgetState,
  ConsensusInfo,
  Costs,
  ErrorKind,
  EscalationInfo,
  Ignored,
  NoteCategory,
  Review,
  RoutingInfo,
  RunStatus,
  Seat,
  Synthesis,
  WeightsInfo,
} from "../api/types";
import type { AdversaryState } from "./adversary";
import type { ChairmenState } from "./chairmen";
import type { RefinementState } from "./refinement";

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
  result: Answer | null;
}

export interface ReviewState {
  seat: Seat;
  status: CallStatus;
  result: Review | null;
}

export interface SynthesisState {
  status: CallStatus;
  model: string | null;
  text: string;
  reasoning: string;
  restarted: boolean;
  /** Chairmen who failed before the one that writes now. */
  failures: { model: string; error: string; kind: ErrorKind | null }[];
  result: Synthesis | null;
}

/** A sentence of the process monitor. */
export interface ProcessNote {
  message: string;
  category: NoteCategory;
  level: number;
  /** RFC 3339, UTC. */
  timestamp: string;
  details: Readonly<Record<string, unknown>> | null;
}

export type Phase =
  | "waiting"
  | "routing"
  | "stage1"
  | "stage2"
  | "stage3"
  | "refinement"
  | "adversary"
  | "ended";

export interface RunState {
  runId: string | null;
  conversationId: string | null;
  messageId: string | null;
  status: RunStatus;
  phase: Phase;
  /** The place in the queue for a free place at the server, 1 is next; null when in none. */
  queuePosition: number | null;
  error: string | null;
  useCot: boolean;
  /** Options that were switched on and do not apply, each with its reason. */
  ignored: readonly Ignored[];
  /** Who answers, and why, where the question was routed. */
  routing: RoutingInfo | null;
  /** Whether the second tier was asked, and why, where the run may escalate. */
  escalation: EscalationInfo | null;
  answers: readonly AnswerState[];
  confidence: AggregateConfidence | null;
  reviews: readonly ReviewState[];
  labelToMember: Readonly<Record<string, string>>;
  aggregate: readonly AggregateRow[];
  facts: AggregateFacts | null;
  /** What each reviewer's ballot weighed, and why. */
  weights: WeightsInfo | null;
  synthesis: SynthesisState;
  /** Whether the council agreed so that nobody had to write; null where that was not asked for. */
  consensus: ConsensusInfo | null;
  chairmen: ChairmenState | null;
  refinement: RefinementState | null;
  adversary: AdversaryState | null;
  /** Whether the run's events tell what goes on, sentence by sentence. */
  hasLog: boolean;
  /** Those sentences in order, as far as this page has followed the run. */
  notes: readonly ProcessNote[];
  /** Budgets that are nearly used up. */
  budgets: readonly BudgetState[];
  costs: Costs | null;
  title: string | null;
}

export const noSynthesis: SynthesisState = {
  status: "waiting",
  model: null,
  text: "",
  reasoning: "",
  restarted: false,
  failures: [],
  result: null,
};

export const newRun: RunState = {
  runId: null,
  conversationId: null,
  messageId: null,
  status: "queued",
  phase: "waiting",
  queuePosition: null,
  error: null,
  useCot: false,
  ignored: [],
  routing: null,
  escalation: null,
  answers: [],
  confidence: null,
  reviews: [],
  labelToMember: {},
  aggregate: [],
  facts: null,
  weights: null,
  synthesis: noSynthesis,
  consensus: null,
  chairmen: null,
  refinement: null,
  adversary: null,
  hasLog: false,
  notes: [],
  budgets: [],
  costs: null,
  title: null,
};

export const isLive = (run: RunState) => run.status === "queued" || run.status === "running";

/** Whether anything in this run came from the simulated provider. */
export const isSimulated = (run: RunState) =>
  run.synthesis.result?.simulated === true ||
  run.answers.some((answer) => answer.result?.simulated === true);
