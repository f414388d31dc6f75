/** What the server will say of the options that it does not describe yet. */
import type { components } from "./schema";

type Schemas = components["schemas"];
type ErrorKind = Schemas["ErrorKind"];

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

export type ComingEvent = ConsensusEvent | MultiChairmanEvent | BudgetEvent;

export interface ComingMetadata {
  use_weighted_consensus?: boolean;
  weights_info?: WeightsInfo | null;
  budget_warnings?: BudgetState[];
  consensus_info?: ConsensusInfo | null;
}

export interface ComingSynthesis {
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
