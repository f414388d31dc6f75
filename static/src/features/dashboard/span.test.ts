import { describe, expect, it } from "vitest";
import { isDay, plusDays, readSpan, spanError, spanOf, spanText, writeSpan } from "./span";

const today = "2026-03-01";
const read = (query: string) => readSpan(new URLSearchParams(query), today);

describe("a span of days", () => {
  it("counts today among the days of a preset", () => {
    expect(spanOf("7", today)).toEqual({ preset: "7", from: "2026-02-23", until: today });
    expect(spanOf("30", today).from).toBe("2026-01-31");
    expect(spanOf("all", today)).toEqual({ preset: "all", from: null, until: null });
  });

  it("goes over the ends of months and leap days", () => {
    expect(plusDays("2028-02-28", 1)).toBe("2028-02-29");
    expect(plusDays("2026-01-01", -1)).toBe("2025-12-31");
  });

  it("is the last 30 days where the address says nothing, or nonsense", () => {
    for (const query of ["", "days=8", "from=yesterday", "from=2026-02-30", "until=0000-01-01"]) {
      expect(read(query)).toEqual(spanOf("30", today));
    }
  });

  it("comes back from the address as it was written there", () => {
    const spans = [
      spanOf("7", today),
      spanOf("30", today),
      spanOf("all", today),
      { preset: "custom", from: "2026-01-05", until: "2026-01-09" },
      { preset: "custom", from: null, until: "2026-01-09" },
    ] as const;
    for (const span of spans) {
      const query = writeSpan(new URLSearchParams("tag=a%26b&days=90&from=2020-01-01"), span);
      expect(query.get("tag")).toBe("a&b");
      expect(readSpan(query, today)).toEqual(span);
    }
  });

  it("cannot end before it begins", () => {
    const span = { preset: "custom", from: "2026-01-05", until: "2026-01-04" } as const;
    expect(spanError(span)).toMatch(/before/);
    expect(spanError({ ...span, until: "2026-01-05" })).toBeNull();
    expect(spanError({ ...span, from: null })).toBeNull();
  });

  it("is told in words", () => {
    expect(spanText(spanOf("all", today))).toBe("of all time");
    expect(spanText({ preset: "custom", from: "2026-01-05", until: null })).toBe(
      "since Jan 5, 2026",
    );
    expect(spanText({ preset: "custom", from: today, until: today })).toBe("on Mar 1, 2026");
  });

  it("knows which days exist", () => {
    expect(isDay("2028-02-29")).toBe(true);
    for (const text of ["2026-02-29", "2026-2-1", "2026-13-01", "", null, "20260-01-01"]) {
      expect(isDay(text)).toBe(false);
    }
  });
});
