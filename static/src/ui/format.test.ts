import { describe, expect, it } from "vitest";
import {
  dayGroup,
  duration,
  listText,
  money,
  percent,
  rank,
  roughly,
  shortName,
  tokensPerSecond,
  when,
} from "./format";

describe("money", () => {
  it("never shows an unknown price as free", () => {
    expect(money(null)).toBe("cost unknown");
    expect(money(undefined)).toBe("cost unknown");
    expect(money(0)).toBe("$0");
  });
  it("keeps small sums readable", () => {
    expect([0.00001, 0.0123, 1.5].map(money)).toEqual(["< $0.0001", "$0.0123", "$1.50"]);
  });
});

describe("a part of one", () => {
  it("is percent, with no more digits than were asked for", () => {
    expect([0, 0.834, 1].map((n) => percent(n))).toEqual(["0%", "83%", "100%"]);
    expect(percent(0.3333, 1)).toBe("33.3%");
    expect(percent(0.5, 1)).toBe("50%");
    expect(percent(null)).toBe("–");
  });
});

describe("a list", () => {
  it("joins names as a sentence does", () => {
    expect(listText([])).toBe("");
    expect(listText(["a", "b", "c"])).toBe("a, b, c");
    expect(listText(["a", "b"], "conjunction")).toBe("a and b");
    expect(listText(["a", "b"], "disjunction")).toBe("a or b");
  });
});

describe("a guess at money", () => {
  it("has two digits that count, and never less than cents", () => {
    const shown = [0, 0.000_02, 0.000_95, 0.0123, 0.1, 0.999, 1.5, 12].map(roughly);
    expect(shown).toEqual([
      "$0",
      "< $0.0001",
      "$0.00095",
      "$0.012",
      "$0.10",
      "$1.00",
      "$1.50",
      "$12.00",
    ]);
  });
});

describe("times", () => {
  it("are short", () => {
    expect([0, 49, 999, 1200, 61_000].map(duration)).toEqual([
      "under 0.1 s",
      "under 0.1 s",
      "999 ms",
      "1.2 s",
      "1 min 1 s",
    ]);
  });
  it("never round up to sixty seconds", () => {
    expect(duration(119_700)).toBe("2 min 0 s");
    expect(duration(59_970)).toBe("1 min 0 s");
  });
  it("without a zone are UTC", () => {
    expect(when("2026-01-01T10:00:00").toISOString()).toBe("2026-01-01T10:00:00.000Z");
    expect(when("2026-01-01T10:00:00+02:00").toISOString()).toBe("2026-01-01T08:00:00.000Z");
  });
  it("are grouped by the reader's days", () => {
    const now = new Date(2026, 2, 10, 0, 30);
    expect(dayGroup(new Date(2026, 2, 9, 23, 50), now)).toBe("Yesterday");
    expect(dayGroup(new Date(2026, 2, 10, 0, 10), now)).toBe("Today");
    expect(dayGroup(new Date(2026, 2, 5), now)).toBe("Previous 7 days");
    expect(dayGroup(new Date(2025, 11, 24), now)).toBe("December 2025");
  });
});

describe("numbers and names", () => {
  it("read as a person writes them", () => {
    expect([2, 2.5, 10, null].map(rank)).toEqual(["2", "2.5", "10", "–"]);
    expect(shortName("openai/gpt-5.1")).toBe("gpt-5.1");
    expect(shortName("The Sceptic")).toBe("The Sceptic");
  });
  it("count tokens per second from the first token on", () => {
    const usage = { completion_tokens: 100 };
    expect(tokensPerSecond({ usage, latency_ms: 3000, ttft_ms: 1000 })).toBe(50);
    expect(tokensPerSecond({ usage, latency_ms: 0 })).toBeNull();
    expect(tokensPerSecond({ latency_ms: 3000 })).toBeNull();
    // All in one piece: the figure would be that of the network.
    expect(tokensPerSecond({ usage, latency_ms: 1001, ttft_ms: 1000 })).toBeNull();
  });
});
