/**
 * A run's state as the terminal has it (`src/terminal/live/state.rs`), for the comparison of the two: every field of
 * that, under its name.
 */
import type {
  AggregateRow,
  Answer,
  Costs,
  FoundSource,
  Review,
  Schemas,
  Seat,
  Synthesis,
} from "../api/types";
import { adversaryOf } from "../features/adversary/state";
import { type CacheState, cacheOf } from "../features/cache/state";
import { chairmenOf } from "../features/chairmen/state";
import { consensusOf } from "../features/consensus/state";
import { debateOf, type StatementState } from "../features/debate/state";
import { decompositionOf } from "../features/decomposition/state";
import { escalationOf } from "../features/escalation/state";
import { checksOf } from "../features/react/state";
import { refinementOf } from "../features/refinement/state";
import { researchOf } from "../features/research/state";
import { routingOf } from "../features/routing/state";
import { secondReadingOf } from "../features/second-reading/state";
import { sourcesOf } from "../features/sources/state";
import { madeIn, type ToolUse, usesOf } from "../features/tools/state";
import { webSearchOf } from "../features/web-search/state";
import { weightsOf } from "../features/weights/state";
import { list, seatOf } from "../run/parts";
import type { AnswerState, CallStatus, Failure, ReviewState, RunState } from "../run/state";

type Result = Partial<Answer> & Pick<Answer, "model">;

const failure = (told: Partial<Failure>) => ({
  model: told.model ?? "",
  error: told.error ?? "",
  kind: told.error_kind ?? null,
});

const steps = (cot: Answer["cot"]) =>
  cot
    ? {
        thinking: cot.thinking ?? "",
        analysis: cot.analysis ?? "",
        conclusion: cot.conclusion ?? "",
      }
    : null;

const outcome = (result: Result) => ({
  error: result.error ? failure({ ...result, error: result.error }) : null,
  latency_ms: result.latency_ms ?? null,
  tokens: result.usage?.total_tokens ?? null,
  cost: result.cost ?? null,
  truncated: result.truncated === true,
  simulated: result.simulated === true,
  served_by: result.served_by ?? null,
  confidence: result.confidence ?? null,
  steps: steps(result.cot),
});

interface Piece {
  seat: Seat;
  status: CallStatus;
  text: string;
  reasoning: string;
  restarted?: boolean;
  since: string | null;
  result: Result | null;
}

const piece = ({ seat, status, text, reasoning, restarted, since, result }: Piece) => ({
  seat: { model: seat.model, member: seat.member, alias: seat.alias ?? null },
  status,
  text,
  reasoning,
  restarted: restarted === true,
  since,
  outcome: result && outcome(result),
});

const ended = (result: Result, text: string | null | undefined) =>
  piece({
    seat: seatOf(result),
    status: result.error ? "failed" : "done",
    text: text ?? "",
    reasoning: result.reasoning ?? "",
    since: null,
    result,
  });

const answer = (entry: AnswerState) => ({
  piece: piece(entry),
  late: entry.late,
  tier: entry.tier,
});

const review = ({ seat, since, status, result }: ReviewState): object => ({
  piece: piece({
    seat,
    since,
    status,
    text: result?.ranking ?? "",
    reasoning: result?.reasoning ?? "",
    result,
  }),
  ranking: list(result?.parsed_ranking),
  tiers: list(result?.tiers),
  parse: result?.parse ?? null,
  counts: result?.counts === true,
  second: result?.second ? reviewOf(result.second) : null,
});

const reviewOf = (result: Review) =>
  review({
    seat: seatOf(result),
    since: null,
    status: result.error ? "failed" : "done",
    result,
  });

const row = (one: AggregateRow) => ({
  seat: piece({ ...waiting, seat: seatOf(one) }).seat,
  label: one.label ?? "",
  place: one.place ?? 0,
  average_rank: one.average_rank ?? null,
  weighted_average_rank: one.weighted_average_rank ?? null,
  borda: one.borda ?? null,
  weighted_borda: one.weighted_borda ?? null,
  weights_applied: one.weights_applied === true,
  rank_change: one.rank_change ?? 0,
  voters: one.voters ?? 0,
  first_place_votes: one.first_place_votes ?? 0,
});

const waiting = {
  status: "waiting",
  text: "",
  reasoning: "",
  since: null,
  result: null,
} as const;

function ranking({ aggregate, facts }: RunState) {
  const certainty = facts?.certainty;
  return {
    rows: aggregate.map(row),
    ballots: facts?.ballots ?? 0,
    winner: facts?.winner ?? null,
    winner_is_tie: facts?.winner_is_tie === true,
    certainty: certainty
      ? {
          verdict: certainty.verdict ?? "",
          first_is_best: certainty.first_is_best ?? null,
          explanation: certainty.explanation ?? "",
        }
      : null,
    agreement: facts?.agreement?.value ?? null,
  };
}

const editorial = (told: Synthesis["disagreement"]) =>
  told
    ? {
        agreements: list(told.agreements),
        contradictions: list(told.contradictions),
        only_one: list(told.only_one),
        none_covered: list(told.none_covered),
        minority: list(told.minority),
      }
    : null;

const verdict = (told: Synthesis["verdict"]) =>
  told
    ? {
        most_convincing: list(told.most_convincing),
        settled: list(told.settled),
        open: list(told.open),
        minority: list(told.minority),
      }
    : null;

function finalAnswer({ synthesis }: RunState) {
  const { result } = synthesis;
  return {
    piece: piece({
      ...synthesis,
      seat: { model: synthesis.model ?? "", member: "", alias: null },
    }),
    failures: synthesis.failures.map(failure),
    draft: result?.draft ?? null,
    heading: result?.heading ?? "",
    notes: list(result?.notes),
    selected_member: result?.selected_member ?? null,
    fallback_for: result?.fallback_for ?? null,
    disagreement: editorial(result?.disagreement),
    verdict: verdict(result?.verdict),
  };
}

function cache(state: CacheState | null) {
  switch (state?.status) {
    case undefined:
      return null;
    case "looking":
      return { status: "looking" };
    case "miss":
      return {
        status: "miss",
        reason: state.told.reason ?? null,
        best_similarity: state.told.best_similarity ?? null,
        kept: state.kept,
      };
    case "offered":
    case "hit":
      return {
        status: state.status,
        similarity: state.told.similarity ?? null,
        exact: state.told.exact === true,
        question: state.told.cached_query ?? null,
        created_at: state.told.created_at ?? null,
        expires_at: state.told.expires_at ?? null,
        cost_saved: state.told.cost_saved ?? null,
        time_saved_ms: state.told.time_saved_ms ?? null,
      };
  }
}

function chairmen(run: RunState) {
  const state = chairmenOf(run);
  return (
    state && {
      ...state,
      drafts: state.drafts.map((draft) => ({
        label: draft.label ?? "",
        piece: ended(draft, draft.response),
      })),
    }
  );
}

function refinement(run: RunState) {
  const state = refinementOf(run);
  return (
    state && {
      max_iterations: state.maxIterations,
      iterations: state.iterations.map((one) => ({
        iteration: one.iteration,
        asked: one.asked,
        critiques: one.critiques.map((critique) => ({
          piece: ended(critique, critique.critique),
          is_substantive: critique.is_substantive === true,
        })),
        text: one.text,
        status: one.status,
        reason: one.reason?.text ?? null,
      })),
      converged: state.converged,
      done: state.done,
      cost: state.cost,
    }
  );
}

function adversary(run: RunState) {
  const state = adversaryOf(run);
  return (
    state && {
      model: state.model,
      status: state.status,
      critique: state.critique,
      severity: state.severity,
      severity_note: state.severityNote?.text ?? null,
      revision: state.revision,
      revised: state.revised,
      error: state.error && (state.error.text ?? ""),
      cost: state.cost,
    }
  );
}

const statement = (entry: StatementState) => ({
  label: entry.label,
  piece: piece(entry),
  replies_to: entry.repliesTo,
  critiques: list(entry.result?.critiques).map(({ of, text }) => ({ of, text })),
  addressed: entry.result?.addressed ?? null,
  revised_answer: entry.result?.revised_answer ?? null,
  changed: entry.result?.position?.changed ?? null,
});

function debate(run: RunState) {
  const state = debateOf(run);
  return (
    state && {
      mode: state.mode,
      style: state.style,
      round_types: state.roundTypes,
      rounds: state.rounds.map(({ number, type, statements }) => ({
        number,
        kind: type,
        statements: statements.map(statement),
      })),
    }
  );
}

function decomposition(run: RunState) {
  const state = decompositionOf(run);
  return (
    state && {
      complexity: state.complexity && {
        is_complex: state.complexity.is_complex === true,
        confidence: state.complexity.confidence ?? null,
        reasoning: state.complexity.reasoning ?? "",
        indicators: list(state.complexity.indicators),
      },
      skipped: state.skip?.reason ?? null,
      questions: state.questions,
      parts: state.parts.map(({ index, question, answers, result }) => ({
        index,
        question,
        answers: answers.map(answer),
        result: result && {
          best_member: result.best_member || null,
          picked_by: result.picked_by ?? null,
          ranking: list(result.ranking).map(row),
        },
      })),
    }
  );
}

const source = ({ n, title, url, host, snippet }: FoundSource) => ({
  n,
  title: title ?? "",
  url: url ?? "",
  host: host ?? "",
  snippet: snippet ?? "",
});

function research(run: RunState) {
  const state = researchOf(run);
  return (
    state && {
      model: state.model,
      status: state.status,
      topics: state.topics.map(({ label, query, result }) => ({
        label,
        query,
        finding: result && {
          response: result.response ?? "",
          sources: list(result.sources).map(({ n }) => n),
          error: result.error ?? null,
        },
      })),
      found: state.found,
      response: state.response,
      needless: state.needless,
      is_whole: state.isWhole,
      failure: state.failure,
    }
  );
}

function webSearch(run: RunState) {
  const state = webSearchOf(run);
  return (
    state && {
      query: state.query,
      status: state.status,
      found: state.result?.found === true,
      answer: state.result?.answer ?? null,
      error: state.result?.error ?? null,
    }
  );
}

const lookup = (use: ToolUse) => ({
  ...use,
  id: use.id ?? "",
  tool: use.tool ?? "",
  error: use.error ?? null,
});

/** As events tell them; for a stored run, as its texts hold them. */
function lookups(run: RunState) {
  const told = Object.entries(usesOf(run)).map(([place, uses]) => {
    const at = place.indexOf(" ");
    const round = place.slice(0, at);
    return {
      round: round === "" ? null : Number(round),
      member: place.slice(at + 1),
      lookups: uses.map(lookup),
    };
  });
  if (told.length > 0) return told;
  const made = (round: number | null, entries: readonly (AnswerState | StatementState)[]) =>
    entries.map(({ seat, result }) => ({
      round,
      member: seat.member,
      lookups: madeIn(result).map(lookup),
    }));
  const rounds = debateOf(run)?.rounds ?? [];
  return [
    ...made(null, run.answers),
    ...rounds.flatMap(({ number, statements }) => made(number, statements)),
  ].filter((place) => place.lookups.length > 0);
}

const costs = (told: Costs) => ({
  total: told.total_cost ?? null,
  tokens: told.total_tokens ?? 0,
  unknown_calls: told.unknown_cost_calls ?? 0,
  stages: Object.entries(told.by_stage ?? {}).map(([stage, of]) => ({
    stage,
    cost: of?.cost ?? null,
    tokens: of?.tokens ?? 0,
    calls: of?.calls ?? 0,
    latency_ms: of?.latency_ms ?? 0,
  })),
});

const weights = (info: Schemas["WeightsInfo"]) => ({
  explanation: info.explanation ?? "",
  has_historical_data: info.has_historical_data === true,
  weights: Object.entries(info.weights ?? {}).map(([member, of]) => [
    member,
    of.normalized_weight ?? 0,
  ]),
});

/** Every field that the terminal's state has. */
export function projectionOf(run: RunState): Record<string, unknown> {
  const routing = routingOf(run);
  const escalation = escalationOf(run);
  const consensus = consensusOf(run);
  const second = secondReadingOf(run);
  const weighed = weightsOf(run);
  const { confidence } = run;
  return {
    run_id: run.runId ?? null,
    conversation_id: run.conversationId ?? null,
    message_id: run.messageId ?? null,
    status: run.status,
    phase: run.phase,
    queue_position: run.queuePosition,
    error: run.error,
    error_kind: run.errorKind,
    ignored: run.ignored.map(({ field, reason }) => ({ field, reason })),
    cache: cache(cacheOf(run)),
    sources: sourcesOf(run).map(source),
    research: research(run),
    web_search: webSearch(run),
    routing: routing && {
      category: routing.category ?? "",
      confidence: routing.confidence ?? null,
      reasoning: routing.reasoning ?? "",
      models: list(routing.models),
      is_routed: routing.is_routed === true,
    },
    escalation: escalation && {
      escalated: escalation.escalated === true,
      tier1_count: escalation.tier1_model_count ?? 0,
      tier2_count: escalation.tier2_model_count ?? 0,
      reasons: list(escalation.reasons),
      note: escalation.note ?? null,
    },
    answers: run.answers.map(answer),
    confidence: confidence && {
      average: confidence.average ?? null,
      min: confidence.min ?? null,
      max: confidence.max ?? null,
      count: confidence.count ?? 0,
    },
    lookups: lookups(run),
    reviews: run.reviews.map(review),
    abstained: run.abstained.map((one) => ({
      seat: piece({ ...waiting, seat: seatOf(one) }).seat,
      reason: one.reason ?? "",
    })),
    labels: Object.entries(run.labelToMember),
    ranking: ranking(run),
    second_reading: second && { held: second.held === true, reason: second.reason ?? "" },
    weights: weighed && weights(weighed),
    consensus: consensus && {
      is_consensus: consensus.is_consensus === true,
      member: consensus.consensus_member ?? null,
      reason: consensus.reason ?? "",
    },
    final_answer: finalAnswer(run),
    chairmen: chairmen(run),
    checks: checksOf(run),
    refinement: refinement(run),
    adversary: adversary(run),
    debate: debate(run),
    decomposition: decomposition(run),
    has_log: run.hasLog,
    notes: run.notes.map(({ message, category, level, timestamp }) => ({
      message,
      category,
      level,
      timestamp,
    })),
    budgets: run.budgets.map((one) => ({
      scope: one.scope ?? "",
      name: one.name ?? null,
      period: one.period ?? "",
      limit_usd: one.limit_usd ?? 0,
      spent_usd: one.spent_usd ?? 0,
      reserved_usd: one.reserved_usd ?? 0,
      resets_at: one.resets_at ?? null,
    })),
    costs: run.costs && costs(run.costs),
    title: run.title,
  };
}

export type Leaf = string | number | boolean | null;
export type Flat = Map<string, Leaf>;

/** By paths as `answers/0/piece/text`; what is empty stands as `[]` or `{}`. */
export function flat(value: unknown, path = "", into: Flat = new Map()): Flat {
  if (typeof value !== "object" || value === null) return into.set(path, value as Leaf);
  const entries = Object.entries(value);
  if (entries.length === 0) return into.set(path, Array.isArray(value) ? "[]" : "{}");
  for (const [name, held] of entries) flat(held, path === "" ? name : `${path}/${name}`, into);
  return into;
}

export interface Change {
  set?: Record<string, Leaf>;
  /** What was added to a text's end. */
  add?: Record<string, string>;
  gone?: string[];
}

/** What has changed from one state to the next. */
export function changeOf(before: Flat, after: Flat): Change {
  const set: [string, Leaf][] = [];
  const add: [string, string][] = [];
  for (const [path, now] of after) {
    const was = before.get(path);
    if (was === now) continue;
    const isLonger = typeof was === "string" && was !== "" && typeof now === "string";
    if (isLonger && now.startsWith(was)) add.push([path, now.slice(was.length)]);
    else set.push([path, now]);
  }
  const gone = [...before.keys()].filter((path) => !after.has(path));
  return {
    ...(set.length > 0 && { set: Object.fromEntries(set) }),
    ...(add.length > 0 && { add: Object.fromEntries(add) }),
    ...(gone.length > 0 && { gone }),
  };
}
