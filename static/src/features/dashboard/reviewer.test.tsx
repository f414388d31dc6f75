import { describe, expect, it } from "vitest";
import type { Leaning, Reviewer } from "../../api/types";
import { render } from "../../test/render";
import { Leanings, leaningScale, measured } from "./reviewer";

const leaning = (mean: number, more: Partial<Leaning> = {}): Leaning => ({
  ballots: 31,
  mean,
  error: 0.03,
  ...more,
});

async function lines(reviewer: Partial<Reviewer>) {
  const page = await render(<Leanings reviewer={{ ballots: 31, ...reviewer }} />);
  return [...page.querySelectorAll(".leaning")].map((line) => ({
    name: line.querySelector("dt")?.textContent,
    text: line.querySelector("dd")?.textContent,
    bar: line.querySelector("svg")?.getAttribute("class") ?? null,
  }));
}

describe("a model as a reviewer", () => {
  it("has a sentence for what it favours", async () => {
    const all = await lines({
      own: leaning(0.12),
      position: leaning(0.2),
      length: leaning(0.3),
      family: leaning(0.08),
    });
    expect(all).toEqual([
      {
        name: "Its own answers",
        text: "Places them 0.4 places higher than the others do. 31 ballots; give or take 0.2 places.",
        bar: "interval",
      },
      {
        name: "What it reads first",
        text: "Places what it reads first 0.6 places higher than what it reads last. 31 ballots; give or take 0.2 places.",
        bar: "interval",
      },
      {
        name: "Long answers",
        text: "Favours them: it ranks the longest answer 0.9 places higher, compared with the shortest, than the others do. 31 ballots; give or take 0.2 places.",
        bar: "interval",
      },
      {
        name: "Its maker’s other models",
        text: "Places them 0.2 places higher than the others do. 31 ballots; give or take 0.2 places.",
        bar: "interval",
      },
    ]);
  });

  it("has another where it leans the other way", async () => {
    const all = await lines({
      own: leaning(-0.12),
      position: leaning(-0.2),
      length: leaning(-0.3),
      family: leaning(-0.08),
    });
    expect(all.map(({ text }) => text?.replace(/ 31 ballots.*/, ""))).toEqual([
      "Places them 0.4 places lower than the others do.",
      "Places what it reads first 0.6 places lower than what it reads last.",
      "Favours short ones: it ranks the shortest answer 0.9 places higher, compared with the longest, than the others do.",
      "Places them 0.2 places lower than the others do.",
    ]);
  });

  it("shows no sign where the interval contains zero", async () => {
    const all = await lines({
      own: leaning(0.05),
      position: leaning(-0.06),
      length: leaning(0),
      family: leaning(0.059),
    });
    expect(all[0]).toEqual({
      name: "Its own answers",
      text: "No sign so far that it places them higher or lower than the others do. 31 ballots; a difference of less than 0.2 places would not be seen yet.",
      bar: "interval interval-unsure",
    });
    for (const { text } of all) expect(text).toMatch(/^No sign so far/);
  });

  it("says nothing of a difference that would show however small", async () => {
    const all = await lines({
      own: leaning(0, { error: 0 }),
      position: leaning(0.01, { error: 0 }),
    });
    expect(all[0]?.text).toMatch(/others do\. 31 ballots\.$/);
    expect(all[1]?.text).toMatch(
      /^Places what it reads first 0\.03 places higher .* 31 ballots\.$/,
    );
  });

  it("says when there are too few ballots, however large the figure", async () => {
    const all = await lines({
      own: leaning(0.9, { ballots: 9 }),
      position: leaning(0.9, { ballots: 1, error: null }),
    });
    expect(all.map(({ text }) => text)).toEqual([
      "Too few ballots to say: 9 so far, 10 are needed.",
      "Too few ballots to say: 1 so far, 10 are needed.",
      "Too few ballots to say: 0 so far, 10 are needed.",
      "Too few ballots to say: 0 so far, 10 are needed.",
    ]);
    for (const { bar } of all) expect(bar).toBeNull();
  });

  it("is sure only beyond two errors, from ten ballots on", () => {
    expect(measured(leaning(0.061, { ballots: 10 }))).toEqual({
      mean: 0.061,
      within: 0.06,
      ballots: 10,
      isSure: true,
    });
    expect(measured(leaning(0.06))?.isSure).toBe(false);
    expect(measured(leaning(0.06, { ballots: 9 }))).toBeNull();
    expect(measured(undefined)).toBeNull();
  });
});

describe("the scale of its bars", () => {
  it("has zero in the middle and every interval inside", () => {
    const wide = { mean: -0.7, within: 0.5, ballots: 12, isSure: true };
    const at = leaningScale([wide, { ...wide, mean: 0.1 }]);
    expect(at(0)).toBe(50);
    expect(at(-1.2)).toBeGreaterThan(0);
    expect(at(1.2)).toBeLessThan(100);
  });

  it("does not blow small figures up", () => {
    expect(leaningScale([])(0.25)).toBeLessThan(100);
    const small = { mean: 0.01, within: 0.01, ballots: 400, isSure: false };
    expect(leaningScale([small])(0.02)).toBeLessThan(60);
  });
});
