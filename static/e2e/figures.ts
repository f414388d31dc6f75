/** Runs to count, asked past the page; and figures that simulated models cannot make. */
import type { Page } from "playwright-core";
import type { OwnServer } from "./own-server";

type Headers = Record<string, string>;

/** Asks the API as the page of this user would. */
export async function call(
  { origin }: OwnServer,
  method: "GET" | "POST" | "PUT" | "PATCH",
  path: string,
  body?: object,
  headers: Headers = {},
): Promise<Record<string, unknown>> {
  const response = await fetch(`${origin}${path}`, {
    method,
    headers: { origin, "content-type": "application/json", ...headers },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`);
  return (await response.json()) as Record<string, unknown>;
}

export interface Asked {
  conversation: string;
  run: string;
}

/** Asks a question and waits for the end of its run. */
export async function askFor(
  server: OwnServer,
  question: string,
  headers: Headers = {},
): Promise<Asked> {
  const { id } = await call(server, "POST", "/api/conversations", {}, headers);
  const path = `/api/conversations/${id}/message`;
  const { run_id } = await call(server, "POST", path, { content: question }, headers);
  return { conversation: String(id), run: String(run_id) };
}

const daysAgo = (n: number) => new Date(Date.now() - n * 86_400_000).toISOString().slice(0, 10);

const known = { total_cost: 4.2213, unknown_cost_calls: 0, estimated_cost_calls: 0 };
const estimated = { total_cost: 0.0421, unknown_cost_calls: 0, estimated_cost_calls: 7 };
const partly = { total_cost: 2.5, unknown_cost_calls: 3, estimated_cost_calls: 0 };
const unknown = { total_cost: null, unknown_cost_calls: 9, estimated_cost_calls: 0 };

const model = (win_rate: number | null, cost: object) => ({
  total_queries: 20,
  ranked_queries: 20,
  wins: 4,
  win_rate,
  average_rank: 2.1,
  average_confidence: null,
  rank_distribution: { "1": 4, "2": 10, "4": 6 },
  total_calls: 40,
  failures: 2,
  total_tokens: 1_234_567,
  total_prompt_tokens: 1_000_000,
  total_completion_tokens: 234_567,
  cached_tokens: 0,
  latency_ms: { average: 9000, median: 73_100, p95: 140_000 },
  ...cost,
});

const analytics = {
  models: {
    "openai/gpt-5.1": model(40, known),
    "a-maker/a-model-with-a-name-that-is-longer-than-any-column-2512-preview": model(30, partly),
    "google/gemini-3-pro": model(20, estimated),
    "x-ai/grok-4.1-fast": model(10, unknown),
  },
  summary: {
    total_queries: 20,
    unique_models: 4,
    cached_tokens: 812_345,
    cache_saved_usd: 0.6214,
    date_range: { start: `${daysAgo(20)}T10:00:00`, end: `${daysAgo(0)}T10:00:00` },
    total_calls: 160,
    failures: 8,
    total_tokens: 4_938_268,
    total_cost: 6.7634,
    unknown_cost_calls: 12,
    estimated_cost_calls: 7,
    cleared_at: null,
    price_list_date: "2026-07-02",
  },
};

const days = {
  days: [
    { day: daysAgo(20), queries: 3, calls: 30, total_tokens: 9000, ...known },
    { day: daysAgo(11), queries: 1, calls: 9, total_tokens: 900, ...unknown },
    { day: daysAgo(2), queries: 9, calls: 90, total_tokens: 90_000, ...partly },
    { day: daysAgo(0), queries: 7, calls: 31, total_tokens: 50_000, ...estimated },
  ],
};

/** Costs of every kind: the server's shapes, without its simulated models' prices of nothing. */
export async function mixCosts(page: Page) {
  await page.route(/\/api\/analytics\?/, (route) => route.fulfill({ json: analytics }));
  await page.route(/\/api\/analytics\/days/, (route) => route.fulfill({ json: days }));
}

/** A model of which every kind of leaning is known: one way, the other, not surely, and not yet. */
export const leanings = {
  models: {
    "acme/aurora": {
      ballots: 34,
      own: { ballots: 31, mean: 0.12, error: 0.03 },
      position: { ballots: 34, mean: -0.09, error: 0.035 },
      length: { ballots: 34, mean: 0.05, error: 0.06 },
      family: { ballots: 4, mean: 0.3, error: 0.2 },
    },
  },
};

interface StoredRun {
  metadata?: { aggregate_rankings: { member: string; average_rank: number }[]; aggregate: object };
}

/** A run as if its reviewers were known to prefer their own answers. The server never sees it. */
export async function correctVotes(page: Page) {
  await page.route(/\/api\/conversations\/[\w-]+$/, async (route) => {
    const response = await route.fetch();
    const conversation: { messages: StoredRun[] } = await response.json();
    for (const { metadata } of conversation.messages) {
      if (!metadata?.aggregate) continue;
      const members = metadata.aggregate_rankings.map(({ member }) => member);
      metadata.aggregate_rankings = metadata.aggregate_rankings.map((row, at) => ({
        ...row,
        uncorrected_rank: row.average_rank + (at === 0 ? 0.35 : 0),
      }));
      metadata.aggregate = {
        ...metadata.aggregate,
        count_self_votes: true,
        self_votes: "adjusted",
        corrections: members.slice(0, 2).map((member, at) => ({
          member,
          model: member,
          place: 1,
          counted_place: at === 0 ? 2.4 : 1.25,
          preference: at === 0 ? 1.4 : 0.25,
          ballots: at === 0 ? 31 : 4,
          others_ballots: at === 0 ? 0 : 120,
        })),
        position_corrected: true,
        order_without_corrections: members.toReversed(),
        certainty: {
          ballots: 4,
          worth: 2.9,
          first_is_best: 0.41,
          uncalibrated: 0.45,
          verdict: "close_call",
          agreement: 0.33,
          runs: 12,
          picks: 7,
          explanation: "",
        },
      };
    }
    await route.fulfill({ response, json: conversation });
  });
}
