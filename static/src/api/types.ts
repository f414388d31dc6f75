/**
 * The names of the API's shapes, as the rest of the app uses them.
 *
 * Written by hand after the API's description until its OpenAPI document is committed; then each
 * becomes an alias of the generated `components["schemas"][…]` of the same name (`npm run generate`).
 * Optional fields may also be null: a stored answer of an older release may hold either.
 */

export type Optional<T> = T | null | undefined;

export type ErrorKind =
  | "auth"
  | "rate_limited"
  | "overloaded"
  | "context_too_long"
  | "refused"
  | "timeout"
  | "bad_response"
  | "cancelled";

export interface Usage {
  prompt_tokens: number;
  completion_tokens: number;
  reasoning_tokens: number;
  cached_tokens: number;
  total_tokens: number;
  cost_usd?: number | null;
}

export interface ChainOfThought {
  thinking: string;
  analysis: string;
  conclusion: string;
}

/** One member's result of stage 1. Failed: `error` is set, `response` holds what had arrived. */
export interface Answer {
  model: string;
  /** Unique display name of the seat: alias or model id. */
  member: string;
  alias?: string | null;
  response: string;
  confidence?: number | null;
  cot?: ChainOfThought | null;
  reasoning?: string | null;
  reasoning_details?: unknown;
  usage?: Usage | null;
  /** US dollars; absent means unknown. */
  cost?: number | null;
  latency_ms?: number | null;
  ttft_ms?: number | null;
  system_prompt_dropped?: boolean | null;
  truncated?: boolean | null;
  simulated?: boolean | null;
  addresses_judges?: boolean | null;
  error?: string | null;
  error_kind?: ErrorKind | null;
}

export type ParseKind = "strict" | "lenient" | "fallback" | "none";

export interface Review {
  model: string;
  member: string;
  /** The raw text of the review. */
  ranking: string;
  parsed_ranking: string[];
  tiers: string[][];
  parse: ParseKind;
  counts: boolean;
  repaired?: boolean | null;
  repair_text?: string | null;
  order_shown: string[];
  reasoning?: string | null;
  usage?: Usage | null;
  cost?: number | null;
  latency_ms?: number | null;
  error?: string | null;
  error_kind?: ErrorKind | null;
}

/** The chairman's structured part beside the answer. */
export interface Editorial {
  agreements: string[];
  contradictions: string[];
  only_one: string[];
  none_covered: string[];
  minority: string[];
}

export interface Synthesis {
  model: string;
  member?: string | null;
  response: string;
  reasoning?: string | null;
  usage?: Usage | null;
  cost?: number | null;
  latency_ms?: number | null;
  ttft_ms?: number | null;
  fallback_for?: string | null;
  heading: string;
  notes?: string[] | null;
  disagreement?: Editorial | null;
  simulated?: boolean | null;
  truncated?: boolean | null;
  error?: string | null;
  error_kind?: ErrorKind | null;
}

export interface AggregateRow {
  model: string;
  member: string;
  label: string;
  average_rank: number | null;
  rankings_count: number;
  weighted_average_rank: number | null;
  rank_change: number;
  weights_applied: boolean;
  /** Mean normalised Borda, 0..1. */
  borda: number | null;
  first_place_votes: number;
  self_rank: number | null;
  peer_rank: number | null;
  same_family_votes: number;
}

export interface Agreement {
  measure: "kendall_w" | "mean_tau_b";
  value: number | null;
  expected_by_chance: number | null;
}

export interface AggregateFacts {
  ballots: number;
  abstentions: number;
  count_self_votes: boolean;
  winner: string | null;
  winner_is_tie: boolean;
  condorcet_winner: string | null;
  kemeny_order: string[];
  methods_disagree: string | null;
  winner_depends_on: string[];
  agreement: Agreement;
}

export interface AggregateConfidence {
  average: number | null;
  min: number | null;
  max: number | null;
  count: number;
  total_models: number;
  distribution: Record<string, number>;
}

export interface StageCosts {
  cost: number | null;
  tokens: number;
  latency_ms: number;
  calls: number;
}

export interface Costs {
  total_cost: number | null;
  total_tokens: number;
  unknown_cost_calls: number;
  by_stage: Partial<Record<"stage1" | "stage2" | "stage3" | "title", StageCosts | null>>;
}

export interface Metadata {
  label_to_model?: Record<string, string> | null;
  label_to_member?: Record<string, string> | null;
  aggregate_rankings?: AggregateRow[] | null;
  aggregate?: AggregateFacts | null;
  aggregate_confidence?: AggregateConfidence | null;
  costs?: Costs | null;
}

export type RunStatus = "queued" | "running" | "complete" | "failed" | "cancelled";

export interface UserMessage {
  role: "user";
  id: string;
  content: string;
  created_at: string;
}

export interface AssistantMessage {
  role: "assistant";
  id: string;
  created_at: string;
  run_id: string;
  status: RunStatus;
  error?: string | null;
  stage1: Answer[] | null;
  stage2: Review[] | null;
  stage3: Synthesis | null;
  metadata: Metadata;
}

export type Message = UserMessage | AssistantMessage;

export interface ConversationSummary {
  id: string;
  created_at: string;
  updated_at: string;
  title: string;
  tags: string[];
  archived: boolean;
  message_count: number;
  running: boolean;
}

export interface Conversation {
  id: string;
  created_at: string;
  updated_at: string;
  title: string;
  tags: string[];
  archived: boolean;
  message_count: number;
  messages: Message[];
}

export interface SearchHit {
  conversation_id: string;
  title: string;
  snippet: string;
  at: string;
}

export interface User {
  authenticated: boolean;
  id: string;
  username: string;
  email?: string | null;
  display_name?: string | null;
  groups: string[];
  is_admin: boolean;
  mode: "proxy" | "none";
}

export interface CouncilMember {
  model: string;
  alias?: string | null;
  system_prompt?: string | null;
}

export interface Features {
  search: boolean;
  research: boolean;
  cache: boolean;
  arena: boolean;
  auth: boolean;
  simulated: boolean;
}

export interface Config {
  council_models: CouncilMember[];
  chairman_model: string;
  chairman_alias?: string | null;
  chairman_fallbacks: string[];
  title_model: string;
  utility_model: string;
  use_system_prompt_stage2: boolean;
  use_system_prompt_stage3: boolean;
  count_self_votes: boolean;
  is_default: boolean;
  features: Features;
  modes: string[];
  limits: { max_content_chars: number; max_members: number };
}

/** What `PUT /api/config` takes: the fields a person may change, each optional. */
export type ConfigChange = Partial<
  Pick<
    Config,
    | "council_models"
    | "chairman_model"
    | "chairman_alias"
    | "chairman_fallbacks"
    | "title_model"
    | "utility_model"
    | "use_system_prompt_stage2"
    | "use_system_prompt_stage3"
    | "count_self_votes"
  >
>;

export interface Model {
  id: string;
  name: string;
  context_length?: number | null;
  pricing?: { prompt: number | string; completion: number | string } | null;
  provider: string;
  family: string;
}

export interface ModelList {
  models: Model[];
  errors: { provider: string; message: string }[];
}

export interface Ask {
  content: string;
  use_cot?: boolean;
  system_prompt?: string;
}

/** A member as the start of a stage names it. */
export interface Seat {
  model: string;
  member: string;
  alias?: string | null;
}

type Stage = "stage1" | "stage2" | "stage3";

export type CouncilEvent =
  | { type: "run_started"; run_id: string; conversation_id: string; message_id: string }
  | { type: "stage1_start"; members: Seat[]; use_cot?: boolean | null }
  | { type: "stage1_token"; model: string; member: string; content: string }
  | { type: "stage1_reasoning_token"; model: string; member: string; content: string }
  | { type: "stage1_model_complete"; model: string; member: string; data: Answer }
  | {
      type: "stage1_error";
      model: string;
      member: string;
      error: string;
      error_kind?: ErrorKind | null;
      data: Answer;
    }
  | {
      type: "stage1_complete";
      data: Answer[];
      metadata?: { aggregate_confidence?: AggregateConfidence | null } | null;
    }
  | { type: "stage2_start"; members: Seat[]; label_to_member?: Record<string, string> | null }
  | { type: "stage2_model_complete"; model: string; member: string; data: Review }
  | { type: "stage2_complete"; data: Review[]; metadata?: Metadata | null }
  | { type: "stage3_start"; model: string }
  | { type: "stage3_token"; model: string; content: string }
  | { type: "stage3_reasoning_token"; model: string; content: string }
  | { type: "stage3_error"; model: string; error: string; error_kind?: ErrorKind | null }
  | { type: "stage3_complete"; data: Synthesis }
  | { type: "costs_complete"; data: Costs }
  | { type: "title_complete"; data: { title: string } }
  | { type: "call_restarted"; stage: Stage; model: string; member?: string | null }
  | { type: "complete" }
  | { type: "cancelled" }
  | { type: "error"; message: string }
  | { type: "server_shutdown"; message: string; run_id?: string; last_event_id?: number | null };
