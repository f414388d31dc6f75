/** Earlier answers: offered, used again, and kept, as the server would tell of them. */
import type { Page } from "playwright-core";

const earlier = {
  similarity: 0.96,
  exact: false,
  cached_query: "Is Rust or Go the better choice for a small team’s next web service?",
  cache_id: "00000000-0000-7000-8000-00000000000a",
  cached_run_id: "00000000-0000-7000-8000-00000000000b",
  created_at: "2026-03-12T09:30:00Z",
  hit_count: 2,
  cost_saved: 0.21,
  time_saved_ms: 74_000,
  own: true,
};

const entries = [
  { query: earlier.cached_query, hit_count: 3, last_hit: "2026-03-20T08:00:00", cost_usd: 0.21 },
  {
    query: "What does `SELECT … FOR UPDATE SKIP LOCKED` do?",
    hit_count: 0,
    cost_usd: null,
    embedding_method: "hash",
  },
  { query: "Warum ist der Himmel blau?", hit_count: 1, shared: true, thumbs_up: 2 },
].map((entry, at) => ({
  id: `00000000-0000-7000-8000-0000000000${10 + at}`,
  conversation_id: "00000000-0000-7000-8000-00000000000c",
  run_id: earlier.cached_run_id,
  format: "council",
  embedding_method: "api",
  created_at: "2026-03-12T09:30:00",
  last_hit: null,
  cost_usd: 0.08,
  took_ms: 74_000,
  shared: false,
  thumbs_up: 0,
  thumbs_down: 0,
  ...entry,
}));

const stats = {
  total_queries: 18,
  cache_hits: 4,
  cache_misses: 14,
  hit_rate: 4 / 18,
  cost_saved: 0.71,
  time_saved: 296_000,
  total_cost_saved: 0.71,
  total_time_saved_ms: 296_000,
  embedding_failures: 1,
};

const tell = (page: Page, path: string, json: object) =>
  page.route(`**${path}`, (route) => route.fulfill({ json }));

/** Three answers are kept, and people of one's groups may get them. */
export async function keepAnswers(page: Page) {
  const { length: total } = entries;
  await tell(page, "/api/cache/entries?*", { entries, total, limit: 30, offset: 0 });
  await tell(page, "/api/cache/info", {
    cache_size: total,
    max_entries: 1000,
    similarity_threshold: 0.92,
    use_api_embeddings: true,
    total_entry_hits: 4,
    api_embedding_entries: 2,
    hash_embedding_entries: 1,
    stats,
  });
  await tell(page, "/api/cache/config", {
    similarity_threshold: 0.92,
    cache_mode: "serve",
    max_entries: 1000,
    max_cache_entries: 1000,
    use_api_embeddings: true,
    embedding_model: "openai/text-embedding-3-small",
    hash_dimension: 256,
    sharing: "groups",
  });
}

export const countAnswers = (page: Page) =>
  tell(page, "/api/admin/cache", {
    entries: 412,
    users: 9,
    queries: 1830,
    hits: 391,
    misses: 1439,
    hit_rate: 391 / 1830,
    cost_saved: 61.4,
    time_saved: 28_900_000,
    embedding_failures: 0,
    api_embedding_entries: 400,
    hash_embedding_entries: 12,
  });

interface Message {
  id: string;
  metadata?: object;
}

/** The conversation as the server has it, with its last message changed. */
const withLast = (page: Page, change: (message: Message) => object) =>
  page.route("**/api/conversations/*", async (route) => {
    const response = await route.fetch();
    const conversation = (await response.json()) as { messages?: Message[] };
    const last = conversation.messages?.at(-1);
    const messages = last && conversation.messages?.with(-1, { ...last, ...change(last) });
    await route.fulfill({ response, json: { ...conversation, ...(messages && { messages }) } });
  });

const told = { mode: "offer", threshold: 0.92, ...earlier };

/** The last answer is one that was there already. */
export const useEarlier = (page: Page) =>
  withLast(page, ({ metadata }) => ({
    metadata: { ...metadata, cache: { ...told, outcome: "hit" } },
  }));

/** In the place of the last answer an earlier one is offered, and its run tells no more. */
export async function offerEarlier(page: Page) {
  const expires_at = new Date(Date.now() + 45_000).toISOString();
  await page.route(/\/api\/runs\/[^/]+\/events/, async (route) => {
    const url = new URL(route.request().url());
    // Asked for what comes after these it keeps the page waiting.
    if (url.searchParams.has("after")) return;
    const [, , , run_id = ""] = url.pathname.split("/");
    const conversation_id = new URL(page.url()).pathname.split("/").at(-1) ?? "";
    const events = [
      { type: "run_started", run_id, conversation_id, message_id: lastId },
      { type: "cache_check_start" },
      { type: "cache_offer", ...earlier, expires_at },
    ];
    const frames = events.map((event, at) => `id: ${at}\ndata: ${JSON.stringify(event)}\n\n`);
    await route.fulfill({ contentType: "text/event-stream", body: frames.join("") });
  });
  let lastId = "";
  await withLast(page, ({ id, metadata }) => {
    lastId = id;
    return {
      status: "running",
      stage1: null,
      stage2: null,
      stage3: null,
      metadata: { ...metadata, costs: null },
    };
  });
}
