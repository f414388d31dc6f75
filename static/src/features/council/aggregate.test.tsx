import { describe, expect, it } from "vitest";
import type { AggregateFacts } from "../../api/types";
import { render } from "../../test/render";
import { answer, facts, review, row, seats, storedRun, synthesis } from "../../test/samples";
import { fromStored } from "../reducer";
import { Aggregate, Matrix } from "./aggregate";

function runWith(more: Partial<AggregateFacts>, uncorrected?: number) {
  const answers = seats.map((seat) => answer(seat));
  const reviews = seats.map((seat) => review(seat));
  const run = fromStored(storedRun(answers, reviews, synthesis()), "c1");
  const rows = seats.map((seat) =>
    row(seat, uncorrected === undefined ? {} : { uncorrected_rank: uncorrected }),
  );
  return { ...run, aggregate: rows, facts: { ...facts, ...more } };
}

const shown = (more: Partial<AggregateFacts>, uncorrected?: number) =>
  render(<Aggregate run={runWith(more, uncorrected)} />);

describe("how far the reviewers agree", () => {
  it.each([
    ["kendall_w", 1, 0.5, "The reviewers agree almost completely."],
    ["kendall_w", 0.5, 0.5, "The reviewers hardly agree."],
    ["mean_tau_b", -0.67, null, "The reviewers contradict each other."],
    ["mean_tau_b", 0.7, null, "The reviewers largely agree."],
  ] as const)("is said in words, by %s of %d", async (measure, value, chance, words) => {
    const agreement = { measure, value, expected_by_chance: chance };
    const page = await shown({ agreement: agreement as AggregateFacts["agreement"] });
    expect(page.querySelector(".agreement > p")?.textContent).toBe(words);
    const explained = page.querySelector(".agreement details");
    expect(explained?.hasAttribute("open")).toBe(false);
    expect(explained?.querySelector("summary")?.getAttribute("aria-label")).toBe(
      "How agreement is measured",
    );
    expect(explained?.textContent).toContain(
      `Agreement (Kendall’s ${measure === "kendall_w" ? "W" : "tau-b"}`,
    );
  });
});

it("a narrow lead says whose ballot it hangs on", async () => {
  const page = await shown({
    winner: "Basil",
    winner_is_tie: true,
    winner_depends_on: ["x/ada", "Basil"],
  });
  expect(page.querySelector(".verdict-head")?.textContent).toBe(
    "Basil is narrowly ahead (2 ballots). Without the ballot of ada or Basil, it would not lead.",
  );
});

describe("how sure the first place is", () => {
  const certainty: AggregateFacts["certainty"] = {
    ballots: 4,
    worth: 2.9,
    first_is_best: 0.41,
    uncalibrated: 0.41,
    verdict: "close_call",
    agreement: 0.3,
    runs: 0,
    picks: 0,
    explanation: "",
  };
  const words = (page: HTMLElement) => page.querySelector(".certainty > p")?.textContent?.trim();
  const explained = (page: HTMLElement) => page.querySelector(".certainty details")?.textContent;

  it.each([
    [
      "close_call",
      0.41,
      "4 ballots, worth about 2.9 independent opinions. A close call: the chance that this is the best of the answers is 41%.",
    ],
    [
      "likely",
      0.6,
      "4 ballots, worth about 2.9 independent opinions. Likely the best of the answers: the chance is 60%.",
    ],
    [
      "clear",
      0.9,
      "4 ballots, worth about 2.9 independent opinions. Clearly ahead: the chance that this is the best of the answers is 90%.",
    ],
  ] as const)("is a plain sentence when it is %s", async (verdict, first_is_best, text) => {
    const page = await shown({ certainty: { ...certainty, verdict, first_is_best } });
    expect(words(page)).toBe(text);
    expect(page.querySelector(".certainty details")?.hasAttribute("open")).toBe(false);
    expect(explained(page)).toContain("Why 2.9 and not 4");
  });

  it("says what the percentage means and that it began as a guess", async () => {
    const page = await shown({ certainty });
    expect(explained(page)).toContain(
      "if ballots came out like this for 100 questions, the answer in first place would be the best one about 41 times, and another answer 59 times.",
    );
    expect(explained(page)).toContain("is a cautious guess so far");
    expect(explained(page)).toContain("has not been compared with people’s own choices yet");
    expect(explained(page)).toContain("All of this is an estimate");
  });

  it("says what corrected it", async () => {
    const learned = { ...certainty, runs: 12, picks: 1, uncalibrated: 0.5 };
    const page = await shown({ certainty: learned });
    expect(explained(page)).toContain("from a cautious guess and 12 earlier questions of yours");
    expect(explained(page)).toContain("People here have said once which answer was the best.");
    expect(explained(page)).toContain("That turned 50% into 41%.");
  });

  it("counts no single ballot, and names no single answer where several share the place", async () => {
    const one = await shown({ certainty: { ...certainty, ballots: 1, worth: 1 } });
    expect(words(one)).toBe(
      "A close call: the chance that this is the best of the answers is 41%.",
    );
    expect(explained(one)).not.toContain("Why 1");
    const tie = await shown({ certainty, winner: null, winner_is_tie: true });
    expect(words(tie)).toContain("for each of them, the chance of being the best is 41%.");
  });

  it("is not told of runs from before it was known", async () => {
    expect((await shown({})).querySelector(".certainty")).toBeNull();
  });
});

describe("votes for one’s own answer", () => {
  const correction = {
    member: "Basil",
    model: "boreal/chat",
    place: 1,
    counted_place: 2.4,
    preference: 1.4,
    ballots: 31,
    others_ballots: 0,
  };
  const corrected: Partial<AggregateFacts> = {
    count_self_votes: true,
    self_votes: "adjusted",
    corrections: [correction],
  };
  const caption = async (more: Partial<AggregateFacts>) =>
    (await render(<Matrix run={runWith(more)} />)).querySelector("caption")?.textContent;

  it.each([
    [{ self_votes: "left_out", count_self_votes: false }, "do not count here."],
    [
      { self_votes: "counted", count_self_votes: true },
      "Members also rank their own answers. Those votes count like all others here.",
    ],
    [
      { self_votes: "adjusted", count_self_votes: true },
      "no member has been seen to favour its own answers.",
    ],
    [
      { count_self_votes: true },
      "Members also rank their own answers. Those votes count like all others here.",
    ],
    [{ count_self_votes: false }, "do not count here."],
  ] as const)("%j are said to count so", async (more, words) => {
    expect((await shown(more)).querySelector(".verdict")?.textContent).toContain(words);
    expect(await caption(more)).toBe(
      more.count_self_votes
        ? "Who ranked whom. 1 is best; a dashed cell is the reviewer’s own answer."
        : "Who ranked whom. 1 is best; a dashed cell is the reviewer’s own answer: it does not count, and answers ranked after it move up one place.",
    );
  });

  it("explain each correction", async () => {
    const text = (await shown(corrected)).querySelector(".verdict")?.textContent;
    expect(text).toContain(
      "Members also rank their own answers. Some of those votes are corrected here, because the member has been seen to rank its own answers too high or too low.",
    );
    expect(text).toContain(
      "Basil’s vote for its own answer counts as place 2.4 instead of 1, because it puts its own answers about 1.4 places higher than the others do. That is known from 31 earlier ballots in your runs.",
    );
    expect(text).not.toContain("Without the corrections");
    expect(text).not.toContain("Not every answer");
  });

  it.each([
    [0, 1, "from 1 earlier ballot in other people’s runs."],
    [3, 1200, "from 1,203 earlier ballots, 1,200 of them in other people’s runs."],
  ])("%d ballots of one's own and %d of others are told apart", async (ballots, others, words) => {
    const known = { ...correction, ballots, others_ballots: others };
    const page = await shown({ ...corrected, corrections: [known] });
    expect(page.querySelector(".verdict")?.textContent).toContain(words);
  });

  it("of a model that is too modest are moved up", async () => {
    const modest = { ...correction, place: 3, counted_place: 2.5, preference: -0.5 };
    const page = await shown({ ...corrected, corrections: [modest] });
    expect(page.querySelector(".verdict")?.textContent).toContain(
      "counts as place 2.5 instead of 3, because it puts its own answers about 0.5 places lower",
    );
  });

  it("say the order that would have been, and that places were moved too", async () => {
    const page = await shown({
      ...corrected,
      order_without_corrections: ["Basil", "aurora/large"],
      position_corrected: true,
    });
    const text = page.querySelector(".verdict")?.textContent;
    expect(text).toContain(
      "Without the corrections the order would be different: 1.\u00a0Basil, 2.\u00a0large.",
    );
    expect(text).toContain("Not every answer was read early as often as late");
  });

  it("show their counted place in the matrix, to eyes and to ears", async () => {
    const page = await render(<Matrix run={runWith(corrected)} />);
    expect(page.querySelector("caption")?.textContent).toContain("after the arrow");
    const own = [...page.querySelectorAll(".matrix-own")].map((cell) => cell.textContent);
    expect(own).toEqual(["2 (own answer)", "1 → 2.4 (own answer, counts as place 2.4)"]);
    expect(page.querySelector(".matrix-counted")?.getAttribute("aria-hidden")).toBe("true");
  });

  it("are not shown where the place would read the same", async () => {
    const slight = { ...corrected, corrections: [{ ...correction, counted_place: 1.001 }] };
    const matrix = await render(<Matrix run={runWith(slight)} />);
    const own = [...matrix.querySelectorAll(".matrix-own")].map((cell) => cell.textContent);
    expect(own).toEqual(["2 (own answer)", "1 (own answer)"]);
    expect(matrix.querySelector("caption")?.textContent).not.toContain("after the arrow");
    const page = await shown(slight, 1.001);
    expect(page.textContent).not.toContain("instead of");
    expect(page.querySelector(".aggregate tbody td:nth-of-type(2)")?.textContent).toBe("1");
  });

  it("leave the average rank beside the corrected one", async () => {
    const page = await shown(corrected, 1.5);
    const cell = page.querySelector(".aggregate tbody td:nth-of-type(2)");
    expect(cell?.textContent).toBe("1 (1.5)(without corrections 1.5)");
    expect(page.textContent).toContain("The average rank as it would be without the corrections.");
    expect((await shown(corrected, 1)).textContent).not.toContain("In brackets");
  });
});
