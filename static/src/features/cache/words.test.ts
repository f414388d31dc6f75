import { describe, expect, it } from "vitest";
import { answeredWhen, earlierFrom, likeness, saving, whyNone } from "./words";

describe("how alike two questions are", () => {
  it.each([
    [0.999, "almost the same question (99% similar)"],
    [0.96, "a very similar question (96% similar)"],
    [0.92, "a similar question (92% similar)"],
    [0.57, "a somewhat similar question (57% similar)"],
    [Number.NaN, "a somewhat similar question"],
  ])("is said in words: %d", (similarity, words) => {
    expect(likeness({ exact: false, similarity })).toContain(words);
  });

  it("is not measured where they are the same", () => {
    expect(likeness({ exact: true, similarity: 1 })).toBe("the same question");
  });
});

describe("what is saved", () => {
  it("is money and time, as far as they are known", () => {
    expect(saving({ costSaved: 0.04, msSaved: 41_300 }, false)).toBe("saves $0.0400 and 41.3 s");
    expect(saving({ costSaved: null, msSaved: 41_300 }, true)).toBe("saved 41.3 s");
    expect(saving({ costSaved: 1.5, msSaved: 0 }, true)).toBe("saved $1.50");
    expect(saving({ costSaved: 0, msSaved: 0 }, true)).toBeNull();
  });
});

it("a time is one of today, a day of this year, or a day with its year", () => {
  const now = new Date(2026, 10, 23, 19);
  const at = (...date: [number, number, number, number, number]) => new Date(...date).toISOString();
  expect(answeredWhen(at(2026, 10, 23, 9, 5), now)).toMatch(/^Answered today at 9:05/);
  expect(answeredWhen(at(2026, 10, 12, 9, 5), now)).toBe("Answered on November 12");
  expect(answeredWhen(at(2025, 10, 12, 9, 5), now)).toBe("Answered on November 12, 2025");
  expect(answeredWhen("", now)).toBe("Answered earlier");
});

describe("why none was used", () => {
  it("names the difference, or how near the nearest was", () => {
    expect(whyNone({ reason: "differs", difference: "numbers", best_similarity: 0.98 })).toBe(
      "The most similar earlier question has other numbers.",
    );
    expect(whyNone({ reason: "below_threshold", best_similarity: 0.612 })).toBe(
      "No earlier question was similar enough. The nearest was 61% similar.",
    );
  });

  it("is said of a newer server as far as it is known", () => {
    expect(whyNone({ reason: "differs", difference: "mood" as never })).toBe(
      "The most similar earlier question is another one.",
    );
    expect(whyNone({ reason: "toString" as never })).toBe("No earlier answer was used.");
    expect(whyNone({})).toBe("No earlier answer was used.");
  });
});

it("an earlier answer of which little is told is the reader's own, and saves nothing", () => {
  expect(earlierFrom({})).toMatchObject({ own: true, costSaved: null, msSaved: 0, question: null });
});
