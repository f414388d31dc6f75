import { describe, expect, it } from "vitest";
import type { AssistantMessage, CouncilEvent, Schemas } from "../../api/types";
import { newRun } from "../../run/state";
import { readEvent } from "../../stream/decode";
import { answer, seats, storedRun, synthesis, wholeRun } from "../../test/samples";
import { describeRun } from "../council/describe";
import { fromStored, reduceAll } from "../reducer";
import { start } from "./start";
import { cacheOf } from "./state";
import { keptPath } from "./words";

const answers = seats.map((seat) => answer(seat));
const whole = wholeRun(answers, [], synthesis());
const [started] = whole;
const after = whole.slice(1);
const earlier = {
  similarity: 0.97,
  exact: false,
  cached_query: "Why is the sky blue?",
  cache_id: "k1",
  created_at: "2026-01-01T09:00:00Z",
  hit_count: 2,
  cost_saved: 0.04,
  time_saved_ms: 41_000,
  own: true,
};
const offer = {
  type: "cache_offer",
  ...earlier,
  expires_at: "2026-01-01T10:01:00Z",
} satisfies CouncilEvent;
const hit = {
  type: "cache_hit",
  ...earlier,
  cached_response: "Together: so it is.",
} satisfies CouncilEvent;
const miss = {
  type: "cache_miss",
  reason: "below_threshold",
  best_similarity: 0.61,
} satisfies CouncilEvent;
const kept = {
  type: "cache_stored",
  cache_id: "k2",
  embedding_method: "hash",
  cache_size: 3,
} satisfies CouncilEvent;

const run = (...events: CouncilEvent[]) =>
  reduceAll(newRun, [...(started ? [started] : []), { type: "cache_check_start" }, ...events]);

type Stored = Partial<Schemas["CacheInfo"]>;

const storedWith = (more: Stored, status: AssistantMessage["status"] = "complete") => {
  const message = storedRun(answers, [], synthesis());
  const cache: Schemas["CacheInfo"] = { mode: "offer", threshold: 0.92, ...more };
  return fromStored({ ...message, status, metadata: { ...message.metadata, cache } }, "c1");
};

describe("an earlier answer", () => {
  it("is looked for, offered and taken, and each is said", () => {
    expect(describeRun(run())).toBe("Looking for an earlier answer.");
    expect(describeRun(run(offer))).toBe(
      "There is an earlier answer. You can use it, or ask the council anyway.",
    );
    const taken = run(offer, hit, ...after);
    expect(cacheOf(taken)).toMatchObject({ status: "hit", told: earlier });
    expect(taken.synthesis.text).toBe("Together: so it is.");
    expect(describeRun(taken)).toBe("Final answer of the council is ready.");
  });

  it("comes whole, without the starts of its stages", () => {
    const only = after.filter(({ type }) => /^(?:stage\d_complete|complete)$/.test(type));
    const taken = run(hit, ...only);
    expect(taken.answers.map(({ status }) => status)).toEqual(["done", "done"]);
    expect(taken).toMatchObject({ status: "complete", synthesis: { text: "Together: so it is." } });
  });

  it("that is refused leads to a run like any other", () => {
    const asked = run(offer, { type: "cache_miss", reason: "refused" }, ...after, kept);
    expect(cacheOf(asked)).toEqual({ status: "miss", told: { reason: "refused" }, kept: "kept" });
    expect(asked.answers).toHaveLength(2);
  });

  it("is not offered any longer once the run was stopped", () => {
    expect(cacheOf(run(offer, { type: "cancelled" }))).toBeNull();
    expect(cacheOf(run({ type: "error", message: "gone" }))).toBeNull();
    expect(cacheOf(storedWith({ cached: offer, outcome: "offered" }, "cancelled"))).toBeNull();
  });

  it("looks the same once it is stored", () => {
    const { type: _hit, cached_response: _text, ...ofHit } = hit;
    const { type: _offer, expires_at, ...ofOffer } = offer;
    const { type: _miss, ...ofMiss } = miss;
    expect(cacheOf(storedWith({ cached: ofHit, outcome: "hit" }))).toEqual(
      cacheOf(run(hit, ...after)),
    );
    expect(
      cacheOf(storedWith({ cached: ofOffer, expires_at, outcome: "offered" }, "running")),
    ).toEqual(cacheOf(run(offer)));
    const { type: _kept, ...stored } = kept;
    expect(cacheOf(storedWith({ ...ofMiss, outcome: "miss", stored }))).toEqual(
      cacheOf(run(miss, ...after, kept)),
    );
  });

  it("that was not kept says why, then and later", () => {
    const not: CouncilEvent = { type: "cache_not_stored", reason: "incomplete" };
    const { type: _miss, ...ofMiss } = miss;
    const stored = storedWith({ ...ofMiss, outcome: "miss", not_stored: "incomplete" });
    expect(cacheOf(run(miss, ...after, not))).toMatchObject({ kept: "incomplete" });
    expect(cacheOf(stored)).toEqual(cacheOf(run(miss, ...after, not)));
  });

  it("that nobody looked for is not told of a run that was asked again", () => {
    expect(cacheOf(storedWith({ outcome: "looking" }))).toBeNull();
    expect(cacheOf(storedWith({}))).toBeNull();
    expect(cacheOf(storedWith({ outcome: "looking" }, "running"))).toEqual({ status: "looking" });
  });

  it("of a newer or older server may lack fields without breaking the page", () => {
    const bare = [offer, hit, miss, kept, { type: "cache_not_stored" }].flatMap(
      ({ type }) => readEvent(JSON.stringify({ type })) ?? [],
    );
    expect(cacheOf(run(...bare))).toEqual({ status: "miss", told: {}, kept: "unavailable" });
  });

  it("has one page, under the address that its parts lead to", () => {
    expect(start.page.path).toBe(keptPath);
  });
});
