import { describe, expect, it } from "vitest";
import type { DayFigures } from "../../api/types";
import { bucketName, tickName } from "./buckets";
import {
  allDuels,
  compact,
  drawnCost,
  duelsOf,
  inBuckets,
  placesOf,
  ratingScale,
  sortedBy,
  sumOfCosts,
  winRate,
} from "./figures";

const cost = (total_cost: number | null, unknown = 0, estimated = 0) => ({
  total_cost,
  unknown_cost_calls: unknown,
  estimated_cost_calls: estimated,
});

const day = (name: string, more: Partial<DayFigures> = {}): DayFigures => ({
  day: name,
  queries: 1,
  calls: 10,
  total_tokens: 100,
  ...cost(0.5),
  ...more,
});

describe("sums of costs", () => {
  it("stay unknown until something is known, and never become 0 by it", () => {
    expect(sumOfCosts([]).total_cost).toBeNull();
    expect(sumOfCosts([cost(null, 3), cost(null, 1)])).toEqual(cost(null, 4));
    expect(sumOfCosts([cost(null, 3), cost(0.25, 0, 2), cost(0.5)])).toEqual(cost(0.75, 3, 2));
    expect(sumOfCosts([cost(0), cost(null, 1)])).toEqual(cost(0, 1));
  });

  it("are drawn as 0 only where nothing is unknown", () => {
    expect(drawnCost(cost(null))).toBe(0);
    expect(drawnCost(cost(null, 1))).toBeNull();
    expect(drawnCost(cost(0.2, 1))).toBe(0.2);
  });
});

describe("a series", () => {
  it("has a step for each day, also where nothing happened", () => {
    const { unit, buckets } = inBuckets(
      [day("2026-03-01"), day("2026-03-04", cost(null, 2))],
      { from: "2026-02-27", until: "2026-03-05" },
      "2026-03-05",
    );
    expect(unit).toBe("day");
    expect(buckets.map((one) => one.from)).toEqual([
      "2026-02-27",
      "2026-02-28",
      "2026-03-01",
      "2026-03-02",
      "2026-03-03",
      "2026-03-04",
      "2026-03-05",
    ]);
    expect(buckets.map(drawnCost)).toEqual([0, 0, 0.5, 0, 0, null, 0]);
    expect(buckets.map((one) => one.queries)).toEqual([0, 0, 1, 0, 0, 1, 0]);
  });

  it("begins with the first day that is known where the span is open, and ends today", () => {
    const { buckets } = inBuckets([day("2026-03-03")], { from: null, until: null }, "2026-03-05");
    expect(buckets.map((one) => one.from)).toEqual(["2026-03-03", "2026-03-04", "2026-03-05"]);
    expect(inBuckets([], { from: null, until: null }, "2026-03-05").buckets).toEqual([]);
  });

  it("holds nothing from before its span", () => {
    const days = [day("2026-01-10"), day("2026-02-28"), day("2026-03-02")];
    const span = { from: "2026-03-01", until: "2026-03-03" };
    const { buckets } = inBuckets(days, span, "2026-03-03");
    expect(buckets.map((one) => one.queries)).toEqual([0, 1, 0]);
    expect(inBuckets(days.slice(0, 2), span, "2026-03-03").buckets.map(drawnCost)).toEqual([
      0, 0, 0,
    ]);
  });

  it("draws no future", () => {
    const { buckets } = inBuckets([], { from: "2026-03-04", until: "2027-01-01" }, "2026-03-05");
    expect(buckets.at(-1)?.until).toBe("2026-03-05");
  });

  it("takes weeks from Monday to Sunday, then months, and loses nothing", () => {
    const days = [day("2025-12-31"), day("2026-01-04"), day("2026-01-05"), day("2026-06-30")];
    const weeks = inBuckets(days, { from: "2025-12-31", until: "2026-06-30" }, "2026-06-30");
    expect(weeks.unit).toBe("week");
    expect(weeks.buckets[0]).toMatchObject({ from: "2025-12-31", until: "2026-01-04", queries: 2 });
    expect(weeks.buckets[1]).toMatchObject({ from: "2026-01-05", until: "2026-01-11", queries: 1 });
    const months = inBuckets(days, { from: "2024-02-10", until: "2026-06-30" }, "2026-06-30");
    expect(months.unit).toBe("month");
    expect(months.buckets[0]).toMatchObject({ from: "2024-02-10", until: "2024-02-29" });
    for (const { buckets } of [weeks, months]) {
      expect(buckets.reduce((sum, one) => sum + one.queries, 0)).toBe(4);
      expect(sumOfCosts(buckets).total_cost).toBe(2);
    }
  });

  it("names its steps", () => {
    const [step] = inBuckets([], { from: "2026-03-02", until: "2026-03-08" }, "2026-03-08").buckets;
    if (!step) throw new Error("there is a first step");
    const week = { ...step, until: "2026-03-08" };
    expect(tickName("day", step)).toBe("Mar 2");
    expect(bucketName("day", step)).toBe("Mar 2, 2026");
    expect(bucketName("week", week)).toBe("Mar 2 to Mar 8, 2026");
    expect(bucketName("month", week)).toBe("Mar 2026");
  });
});

describe("duels", () => {
  const table = duelsOf([
    { a: "m/one", b: "m/two", runs: 4, a_above: 2, b_above: 1, ties: 1 },
    { a: "m/one", b: "m/three", runs: 2, a_above: 0, b_above: 2, ties: 0 },
  ]);

  it("are seen from both sides, a tie as half of one", () => {
    expect(table.get("m/one")?.get("m/two")).toMatchObject({ won: 2, lost: 1, share: 62.5 });
    expect(table.get("m/two")?.get("m/one")).toMatchObject({ won: 1, lost: 2, share: 37.5 });
    expect(table.get("m/two")?.get("m/three")).toBeUndefined();
  });

  it("add up", () => {
    expect(allDuels(table.get("m/one") ?? new Map())).toMatchObject({ runs: 6, won: 2, ties: 1 });
    expect(allDuels(new Map()).share).toBe(0);
  });
});

describe("the other figures", () => {
  it("are sorted with the missing ones last, both ways", () => {
    const list = [{ v: 2 }, { v: null }, { v: 10 }, { v: undefined }, { v: 1 }];
    expect(sortedBy(list, ({ v }) => v, true).map(({ v }) => v ?? null)).toEqual([
      10,
      2,
      1,
      null,
      null,
    ]);
    expect(sortedBy(list, ({ v }) => v, false).map(({ v }) => v ?? null)).toEqual([
      1,
      2,
      10,
      null,
      null,
    ]);
  });

  it("list every place up to the last", () => {
    expect(placesOf({ "1": 2, "3": 1 })).toEqual([
      [1, 2],
      [2, 0],
      [3, 1],
    ]);
    expect(placesOf({})).toEqual([]);
  });

  it("put the average onto every scale of ratings", () => {
    const at = ratingScale([{ low: 1100, high: 1300 }]);
    expect(at(1000)).toBeGreaterThan(0);
    expect(at(1300)).toBeLessThan(100);
    expect(ratingScale([])(1000)).toBe(50);
  });

  it("are written as people read them", () => {
    expect(winRate(33.333)).toBe("33.3%");
    expect(winRate(null)).toBe("–");
    expect(compact(9999)).toBe("9,999");
    expect(compact(1_234_567)).toBe("1.2M");
  });
});
