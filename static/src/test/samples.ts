/** Whole, valid pieces of a run for tests; each takes what the test is about. */
import type {
  AggregateFacts,
  AggregateRow,
  Answer,
  AssistantMessage,
  Config,
  Costs,
  CouncilEvent,
  Review,
  Seat,
  Synthesis,
} from "../api/types";

export const seats: Seat[] = [
  { model: "aurora/large", member: "aurora/large" },
  { model: "boreal/chat", member: "Basil", alias: "Basil" },
];

export const answer = (seat: Seat, more: Partial<Answer> = {}): Answer => ({
  model: seat.model,
  member: seat.member,
  alias: seat.alias ?? null,
  response: `${seat.member} says so.`,
  confidence: 7,
  cost: 0.001,
  latency_ms: 1200,
  ...more,
});

export const review = (seat: Seat, more: Partial<Review> = {}): Review => ({
  model: seat.model,
  member: seat.member,
  ranking: "FINAL RANKING:\n1. Response B\n2. Response A",
  parsed_ranking: ["Response B", "Response A"],
  tiers: [["Response B"], ["Response A"]],
  parse: "strict",
  counts: true,
  order_shown: ["Response A", "Response B"],
  ...more,
});

export const row = (seat: Seat, more: Partial<AggregateRow> = {}): AggregateRow => ({
  model: seat.model,
  member: seat.member,
  label: "Response A",
  average_rank: 1,
  rankings_count: 2,
  weighted_average_rank: 1,
  rank_change: 0,
  weights_applied: false,
  borda: 1,
  first_place_votes: 2,
  self_rank: 1,
  peer_rank: 1,
  same_family_votes: 0,
  ...more,
});

export const facts: AggregateFacts = {
  ballots: 2,
  abstentions: 0,
  count_self_votes: false,
  winner: "Basil",
  winner_is_tie: false,
  winner_depends_on: [],
  condorcet_winner: "Basil",
  kemeny_order: ["Basil", "aurora/large"],
  methods_disagree: null,
  unplaced: [],
  agreement: { measure: "kendall_w", value: 1, expected_by_chance: 0.5 },
};

export const synthesis = (more: Partial<Synthesis> = {}): Synthesis => ({
  model: "cedar/pro",
  response: "Together: so it is.",
  heading: "Final answer of the council",
  heading_fact: { code: "council" },
  ...more,
});

export const costs: Costs = {
  total_cost: 0.01,
  total_tokens: 900,
  unknown_cost_calls: 0,
  by_stage: {},
};

/** Two members, and no models for any option. */
export const config: Config = {
  council_models: [{ model: "aurora/large" }, { model: "boreal/chat", alias: "Basil" }],
  council_model_ids: ["aurora/large", "boreal/chat"],
  chairman_model: "cedar/pro",
  chairman_fallbacks: [],
  prompts: [],
  title_model: "dune/small",
  utility_model: "dune/small",
  use_system_prompt_stage2: true,
  use_system_prompt_stage3: true,
  self_votes: "adjusted",
  count_self_votes: false,
  multi_chairman_models: [],
  routing_pools: {},
  tier1_models: [],
  tier2_models: [],
  reviewer_models: [],
  escalation_confidence_threshold: 6,
  escalation_min_confidence_threshold: 4,
  escalation_agreement_threshold: 0.5,
  adversary_model: null,
  default_options: {},
  missing_models: [],
  is_default: true,
  research_model: null,
  use_api_embeddings: true,
  embedding_model: "elm/embed",
  tools_max_rounds: 3,
  web_search_available: false,
  search_provider: null,
  features: {
    search: false,
    research: false,
    cache: false,
    schedules: false,
    arena: false,
    auth: false,
    simulated: false,
  },
  arena: { default_rounds: 3, min_rounds: 2, max_rounds: 10 },
  modes: ["council", "debate", "arena", "decomposition"],
  limits: { max_content_chars: 1000, max_members: 7 },
};

const labels = {
  label_to_model: { "Response A": "aurora/large", "Response B": "boreal/chat" },
  label_to_member: { "Response A": "aurora/large", "Response B": "Basil" },
};
const confidence = { average: 7, min: 7, max: 7, count: 2, total_models: 2, distribution: {} };

/** All events of an undisturbed run, tokens included. */
export function wholeRun(answers: Answer[], reviews: Review[], final: Synthesis): CouncilEvent[] {
  return [
    { type: "run_started", run_id: "r1", conversation_id: "c1", message_id: "m1" },
    { type: "stage1_start", members: seats, use_cot: false },
    ...seats.flatMap(({ model, member }, at): CouncilEvent[] => {
      const data = answers[at] ?? answer({ model, member });
      const done: CouncilEvent = data.error
        ? {
            type: "stage1_error",
            model,
            member,
            error: data.error,
            error_kind: data.error_kind ?? "bad_response",
            data,
          }
        : { type: "stage1_model_complete", model, member, data };
      return [{ type: "stage1_token", model, member, content: data.response }, done];
    }),
    { type: "stage1_complete", data: answers, metadata: { aggregate_confidence: confidence } },
    { type: "stage2_start", members: reviews.map(({ model, member }) => ({ model, member })) },
    ...reviews.map(
      (data): CouncilEvent => ({
        type: "stage2_model_complete",
        model: data.model,
        member: data.member,
        data,
      }),
    ),
    {
      type: "stage2_complete",
      data: reviews,
      metadata: {
        ...labels,
        aggregate_rankings: [row(seats[1] ?? { model: "", member: "" })],
        aggregate: facts,
      },
    },
    { type: "stage3_start", model: final.model },
    { type: "stage3_token", model: final.model, content: final.response },
    { type: "stage3_complete", data: final },
    { type: "costs_complete", data: costs },
    { type: "complete" },
  ];
}

/** The stored message that the same run leaves behind. */
export const storedRun = (
  answers: Answer[],
  reviews: Review[],
  final: Synthesis,
): AssistantMessage => ({
  role: "assistant",
  id: "m1",
  parent_id: "q1",
  created_at: "2026-01-01T10:00:00",
  run_id: "r1",
  status: "complete",
  round_types: [],
  rounds: [],
  participant_mapping: {},
  label_to_model: {},
  format_ballots: false,
  mode: null,
  decomposition: null,
  debate_style: null,
  stage0: null,
  stage1: answers,
  stage2: reviews,
  stage3: final,
  metadata: {
    ...labels,
    aggregate_rankings: [row(seats[1] ?? { model: "", member: "" })],
    aggregate: facts,
    aggregate_confidence: confidence,
    costs,
    cache: null,
    web_search: null,
    sources: [],
    react: [],
    use_dynamic_routing: false,
    early_exit: false,
    routing_info: null,
    rubric: null,
    pictures: null,
    corrections: [],
    second_reading: null,
    escalation_info: null,
    use_weighted_consensus: true,
    process_log: false,
    weights_info: null,
    consensus_info: null,
    refinement: null,
    adversary: null,
    ignored: [],
    prompts: [],
    abstained: [],
    budget_warnings: [],
    title: null,
  },
});
