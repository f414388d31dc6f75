/** What the server will say of the options that it does not describe yet. */
import type { components } from "./schema";

type Schemas = components["schemas"];
type ErrorKind = Schemas["ErrorKind"];

export type NoteCategory = "stage" | "model" | "info" | "success" | "warning" | "error" | "data";

export interface ProcessEvent {
  type: "process";
  message: string;
  category: NoteCategory;
  level: number;
  timestamp: string;
  details?: Record<string, unknown> | null;
}

export interface BudgetState {
  scope: "instance" | "group" | "user";
  name?: string | null;
  period: "run" | "day" | "month";
  set_by: "config" | "admin" | "oneself";
  limit_usd: number;
  spent_usd: number;
  reserved_usd: number;
  unknown_cost_calls: number;
  resets_at?: string | null;
}

export interface BudgetEvent {
  type: "budget_warning";
  data: BudgetState;
}

export interface ModelWeight {
  model: string;
  runs: number;
  win_rate: number;
  average_rank?: number | null;
  average_confidence?: number | null;
  has_history: boolean;
  raw_weight: number;
  weight: number;
  normalized_weight: number;
  weight_explanation: string;
}

export interface WeightsInfo {
  weights: Record<string, ModelWeight>;
  has_historical_data: boolean;
  models_with_history: number;
  total_models_tracked: number;
  weight_range: { min: number; max: number };
  explanation: string;
}

export interface ConsensusInfo {
  is_consensus: boolean;
  consensus_model?: string | null;
  consensus_member?: string | null;
  consensus_response?: string | null;
  reason: string;
  metrics: {
    average_rank?: number | null;
    first_place_votes: number;
    total_voters: number;
    agreement_ratio: number;
    average_confidence?: number | null;
  };
}

export interface SynthesisDraft {
  label: string;
  model: string;
  response: string;
  disagreement?: Schemas["Editorial"] | null;
  reasoning?: string | null;
  usage?: Schemas["Usage"] | null;
  cost?: number | null;
  latency_ms?: number | null;
  truncated?: boolean;
  notes?: string[];
  error?: string | null;
  error_kind?: ErrorKind | null;
}

export interface Selection {
  model: string;
  selected_synthesis: string;
  selected_model: string;
  is_read: boolean;
  selection_reasoning?: string | null;
  evaluation: string;
  response: string;
  cost?: number | null;
  latency_ms?: number | null;
}

export interface ConsensusEvent {
  type: "consensus_detected";
  data: ConsensusInfo;
}

export type MultiChairmanEvent =
  | { type: "multi_synthesis_start"; models: string[] }
  | { type: "synthesis_complete"; data: SynthesisDraft }
  | { type: "multi_synthesis_complete"; syntheses: SynthesisDraft[] }
  | { type: "selection_start"; model: string }
  | { type: "selection_token"; model: string; content: string }
  | { type: "selection_complete"; data: Selection }
  | { type: "selection_error"; model: string; error: string; error_kind: ErrorKind };

export interface Critique {
  model: string;
  member: string;
  critique: string;
  is_substantive: boolean;
  cost?: number | null;
  latency_ms?: number | null;
  error?: string | null;
  error_kind?: ErrorKind | null;
}

export interface Iteration {
  iteration: number;
  critiques: Critique[];
  substantive_count: number;
  substantive_critique_count: number;
  revision: string | null;
  stopped?: boolean;
  stop_reason?: string | null;
  unfinished_revision?: string | null;
}

export interface Refinement {
  max_iterations: number;
  iterations: Iteration[];
  final_response: string;
  total_iterations: number;
  converged: boolean;
  total_cost: number | null;
  unknown_cost_calls: number;
}

export type Severity = "critical" | "major" | "minor" | "none";
export type SeverityFrom = "stated" | "no_issues" | "assumed";

export interface Adversary {
  adversary_model: string;
  critique: string;
  has_issues: boolean;
  severity: Severity | null;
  severity_from?: SeverityFrom | null;
  revised: boolean;
  revision: string | null;
  total_cost?: number | null;
  unknown_cost_calls?: number;
  unfinished_revision?: string | null;
  error?: string | null;
  error_kind?: ErrorKind | null;
}

export type RefinementEvent =
  | { type: "refinement_start"; max_iterations: number }
  | { type: "iteration_start"; iteration: number }
  | { type: "critiques_start"; iteration: number; model_count: number }
  | ({ type: "critique_complete"; iteration: number } & Critique)
  | {
      type: "critiques_complete";
      iteration: number;
      substantive_count: number;
      critiques: Critique[];
    }
  | { type: "revision_start"; iteration: number; model: string }
  | { type: "revision_token"; iteration: number; content: string; model: string }
  | {
      type: "revision_complete";
      iteration: number;
      model: string;
      content: string;
      cost?: number | null;
      latency_ms: number;
    }
  | {
      type: "revision_error";
      iteration: number;
      model: string;
      error: string;
      error_kind: ErrorKind;
    }
  | {
      type: "iteration_complete";
      iteration: number;
      revision: string | null;
      stop_reason?: string | null;
    }
  | { type: "refinement_converged"; iteration: number; reason: string; final_response: string }
  | ({ type: "refinement_complete" } & Refinement);

export type AdversaryEvent =
  | { type: "adversary_start"; adversary_model: string }
  | { type: "adversary_token"; model: string; content: string }
  | {
      type: "adversary_complete";
      model: string;
      critique: string;
      has_issues: boolean;
      severity: Severity;
      severity_from: SeverityFrom;
      cost?: number | null;
      latency_ms: number;
    }
  | {
      type: "adversary_error";
      model: string;
      error: string;
      error_kind: ErrorKind;
      critique: string;
    }
  | { type: "adversary_revision_start"; chairman_model: string; severity: Severity }
  | { type: "adversary_revision_token"; model: string; content: string }
  | {
      type: "adversary_revision_complete";
      model: string;
      response: string;
      cost?: number | null;
      latency_ms: number;
    }
  | { type: "adversary_revision_error"; model: string; error: string; error_kind: ErrorKind }
  | {
      type: "adversary_validation_complete";
      issues_found: boolean;
      severity: Severity;
      revised: boolean;
      final_response: string;
      total_cost: number | null;
      unknown_cost_calls: number;
    };

export type ComingEvent =
  | ConsensusEvent
  | MultiChairmanEvent
  | RefinementEvent
  | AdversaryEvent
  | ProcessEvent
  | BudgetEvent;

export interface ComingMetadata {
  use_weighted_consensus?: boolean;
  weights_info?: WeightsInfo | null;
  budget_warnings?: BudgetState[];
  consensus_info?: ConsensusInfo | null;
  refinement?: Refinement | null;
  adversary?: Adversary | null;
}

export interface ComingSynthesis {
  draft?: string | null;
  syntheses?: SynthesisDraft[];
  selected_synthesis?: string | null;
  selected_model?: string | null;
  selected_by?: string | null;
  selection_reasoning?: string | null;
  evaluation?: string | null;
}

export interface ComingRow {
  weighted_borda?: number | null;
  voters?: number;
}
