import { describe, expect, it } from "vitest";
import type { CouncilEvent, Schemas } from "../../api/types";
import { newRun } from "../../run/state";
import { readEvent } from "../../stream/decode";
import { answer, seats, storedRun, synthesis } from "../../test/samples";
import { found, runAfter } from "../../test/sources";
import { describeRun } from "../council/describe";
import { toMarkdown } from "../export/markdown";
import { fromStored, reduce, reduceAll } from "../reducer";
import { researchOf } from "./state";
import { progress, researchSummary } from "./words";

const topics = [
  { label: "Facts", query: "bees distance" },
  { label: "Practice", query: "bees coffee" },
];
const findings: Schemas["ResearchFinding"][] = [
  {
    label: "Facts",
    query: "bees distance",
    response: "Three [1].",
    sources: [found(1)],
    error: null,
  },
  { label: "Practice", query: "bees coffee", response: "", sources: [], error: "search: down" },
];
const whole: Schemas["ResearchResult"] = {
  model: "dune/small",
  response: "### Facts\n\nThree [1].",
  has_research: true,
  needed: true,
  sub_queries: topics,
  sub_results: findings,
  not_split: null,
  error: null,
  simulated: false,
};
const events: CouncilEvent[] = [
  { type: "stage0_start", model: "dune/small" },
  { type: "stage0_decomposing", data: {} },
  { type: "stage0_sub_queries", data: { sub_queries: topics } },
  { type: "stage0_researching", data: { sub_queries: topics } },
  ...findings.map(
    (result, index): CouncilEvent => ({ type: "stage0_sub_result", data: { index, result } }),
  ),
  { type: "stage0_synthesizing", data: {} },
  { type: "stage0_complete", data: whole },
];
const upTo = (count: number) => reduceAll(newRun, events.slice(0, count));
const summaryOf = (run: Parameters<typeof researchOf>[0]) => {
  const state = researchOf(run);
  if (!state) throw new Error("there is no research");
  return researchSummary(state);
};
const stored = (stage0: Schemas["ResearchResult"]) =>
  fromStored(
    {
      ...storedRun(
        seats.map((seat) => answer(seat)),
        [],
        synthesis(),
      ),
      stage0,
    },
    "c1",
  );

describe("research", () => {
  it("looks the same live and stored", () => {
    const live = reduceAll(newRun, runAfter(events));
    expect(researchOf(live)).toEqual(researchOf(stored(whole)));
    expect(summaryOf(live)).toBe("2 searches · 1 failed · 1 source");
  });

  it("says where it stands, topic by topic", () => {
    expect([1, 3, 4, 5, 6, 7].map((count) => summaryOf(upTo(count)))).toEqual([
      "Analysing the question…",
      "Analysing the question…",
      "0 of 2 topics searched",
      "1 of 2 topics searched",
      "2 of 2 topics searched",
      "Compiling…",
    ]);
    expect(describeRun(upTo(5))).toBe("Research: 1 of 2 topics are searched.");
    const state = researchOf(upTo(5));
    expect(state && progress(state)).toBe("1/2");
    expect(upTo(5).phase).toBe("stage0");
  });

  it("tells apart what is not needed, what found nothing and what failed", () => {
    const none = {
      ...whole,
      has_research: false,
      response: null,
      sub_queries: [],
      sub_results: [],
    };
    expect(summaryOf(stored({ ...none, needed: false }))).toBe("not needed");
    expect(summaryOf(stored(none))).toBe("nothing found");
    expect(summaryOf(stored({ ...none, error: "search: down" }))).toBe("failed");
  });

  it("is broken off with the run", () => {
    expect(summaryOf(reduce(upTo(4), { type: "cancelled" }))).toBe("broken off");
  });

  it("is copied with what it found", () => {
    const copied = toMarkdown("Bees?", stored(whole));
    expect(copied).toContain("## Research\n\n### Facts\n\n> bees distance\n\nThree [1].");
    expect(copied).not.toContain("### Practice");
  });

  it("is read as far as it goes when fields are missing", () => {
    const bare = events.map(({ type }) => readEvent(JSON.stringify({ type })) as CouncilEvent);
    expect(() => reduceAll(newRun, bare)).not.toThrow();
    expect(() => stored({} as Schemas["ResearchResult"])).not.toThrow();
  });
});
