import { act } from "react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { CacheConfig, CacheEntry, CacheReport } from "../../api/cache";
import { queryClient } from "../../api/queries";
import { button, click, render, settled, type } from "../../test/render";
import { admin } from "./admin";
import KeptPage from "./page";

const config: CacheConfig = {
  similarity_threshold: 0.92,
  cache_mode: "serve",
  max_entries: 1000,
  max_cache_entries: 1000,
  use_api_embeddings: true,
  embedding_model: "openai/text-embedding-3-small",
  hash_dimension: 256,
  sharing: "off",
};
const entry: CacheEntry = {
  id: "k1",
  query: "Why is the sky blue?",
  format: "council",
  conversation_id: "c7",
  run_id: "r7",
  embedding_method: "api",
  created_at: "2026-11-12T09:00:00Z",
  last_hit: "2026-11-20T09:00:00Z",
  hit_count: 3,
  cost_usd: 0.5,
  took_ms: 41_000,
  shared: false,
  thumbs_up: 1,
  thumbs_down: 0,
};
const stats = {
  total_queries: 8,
  cache_hits: 3,
  cache_misses: 5,
  hit_rate: 0.375,
  cost_saved: 1.5,
  time_saved: 123_000,
  total_cost_saved: 1.5,
  total_time_saved_ms: 123_000,
  embedding_failures: 0,
};
const info = (entries: number): CacheReport => ({
  cache_size: entries,
  max_entries: 1000,
  similarity_threshold: 0.92,
  use_api_embeddings: true,
  total_entry_hits: 3,
  api_embedding_entries: entries,
  hash_embedding_entries: 0,
  last_updated: null,
  stats,
});

let kept: CacheEntry[];
let asked: string[];
let config_: CacheConfig;

beforeEach(() => {
  kept = [entry, { ...entry, id: "k2", query: "And the sea?", hit_count: 0, shared: true }];
  asked = [];
  config_ = config;
  history.replaceState(null, "", "/answers");
  vi.stubGlobal("fetch", async (path: string, init: RequestInit = {}) => {
    const method = init.method ?? "GET";
    asked.push(`${method} ${path}`);
    const url = new URL(path, "http://here");
    const q = url.searchParams.get("q");
    const found = kept.filter(({ query }) => !q || query.includes(q));
    if (method === "DELETE") {
      const id = url.pathname.split("/entries/")[1];
      if (id) kept = kept.filter((one) => one.id !== id);
      else if (url.pathname === "/api/cache") kept = [];
      return Response.json({ status: "ok" });
    }
    switch (url.pathname) {
      case "/api/cache/config":
        return Response.json(config_);
      case "/api/cache/info":
        return Response.json(info(kept.length));
      case "/api/cache/entries":
        return Response.json({ entries: found, total: found.length, limit: 30, offset: 0 });
      default:
        return Response.json({
          entries: 12,
          users: 3,
          queries: 40,
          hits: 10,
          misses: 30,
          hit_rate: 0.25,
          cost_saved: 4.5,
          time_saved: 61_000,
          api_embedding_entries: 10,
          hash_embedding_entries: 2,
        });
    }
  });
});
afterEach(() => {
  queryClient.clear();
  vi.unstubAllGlobals();
});

const page = () => render(<KeptPage />, queryClient);

const search = (text: string) =>
  type(document.querySelector<HTMLInputElement>('input[type="search"]'), text);

it("lists what is kept, with what came of it", async () => {
  const place = await page();
  await settled("Why is the sky blue?");
  const [first, second] = [...place.querySelectorAll(".kept-entry")].map((one) => one.textContent);
  expect(first).toContain("used 3 times");
  expect(first).toContain("saved $1.50");
  expect(first).toContain("compared by meaning");
  expect(first).toContain("rated good: 1");
  expect(second).toContain("not used yet");
  expect(second).toContain("others may get it too");
  expect(place.querySelector(".kept-question a")?.getAttribute("href")).toBe("/c/c7");
  await settled("2 min 3 s");
  expect(place.querySelector(".tiles")?.textContent).toContain("37.5%");
});

it("says who may get the answers, and where questions are compared", async () => {
  await page();
  await settled("Only you get these answers again.");
  await settled("with the model text-embedding-3-small");
  config_ = { ...config, sharing: "everyone", use_api_embeddings: false };
  await act(() => queryClient.invalidateQueries());
  await settled("Everybody on this server may get these answers too");
  await settled("by their words, on this server");
});

it("looks for words, from the address too", async () => {
  history.replaceState(null, "", "/answers?q=sea");
  const place = await page();
  await settled("And the sea?");
  expect(place.querySelectorAll(".kept-entry")).toHaveLength(1);
  await search("moon");
  await settled("No kept answer is to a question with these words.");
  expect(asked).toContain("GET /api/cache/entries?limit=30&offset=0&q=moon");
});

it("removes one, and all, only after a question", async () => {
  const place = await page();
  await settled("Why is the sky blue?");
  await click(button("Remove: Why is the sky blue?"));
  expect(asked.some((one) => one.startsWith("DELETE"))).toBe(false);
  await click(button("Remove it"));
  expect(asked).toContain("DELETE /api/cache/entries/k1");
  await act(() => new Promise((done) => setTimeout(done, 20)));
  expect(place.textContent).not.toContain("Why is the sky blue?");
  await click(button("Remove all…"));
  await click(button("Remove them"));
  expect(asked).toContain("DELETE /api/cache");
  await settled("No answers are kept yet");
});

it("resets its figures after a question", async () => {
  await page();
  await settled("What reusing has saved");
  await click(button("Reset these figures…"));
  await click(button("Reset them"));
  expect(asked).toContain("DELETE /api/cache/stats");
});

it("says how one comes by kept answers where there are none", async () => {
  kept = [];
  const place = await page();
  await settled("No answers are kept yet");
  const links = [...place.querySelectorAll(".empty a")].map((link) => link.getAttribute("href"));
  expect(links).toEqual(["/settings#default-options", "/"]);
});

it("shows administrators counts, and never a question", async () => {
  const place = await render(<admin.View />, queryClient);
  await settled("25%");
  expect(place.textContent).toContain("by people: 3");
  expect(place.textContent).toContain("$4.50");
  expect(asked).toEqual(["GET /api/admin/cache"]);
});
