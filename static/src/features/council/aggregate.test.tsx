import { describe, expect, it } from "vitest";
import type { AggregateFacts } from "../../api/types";
import { render } from "../../test/render";
import { answer, facts, review, row, seats, storedRun, synthesis } from "../../test/samples";
import { fromStored } from "../reducer";
import { Aggregate } from "./aggregate";

async function shown(more: Partial<AggregateFacts>) {
  const answers = seats.map((seat) => answer(seat));
  const reviews = seats.map((seat) => review(seat));
  const run = fromStored(storedRun(answers, reviews, synthesis()), "c1");
  const rows = seats.map((seat) => row(seat));
  return render(<Aggregate run={{ ...run, aggregate: rows, facts: { ...facts, ...more } }} />);
}

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
    expect(explained?.textContent).toContain("Kendall’s");
  });
});

it("a narrow lead says whose ballot it hangs on", async () => {
  const page = await shown({
    winner: "Basil",
    winner_is_tie: true,
    winner_depends_on: ["x/ada", "Basil"],
  });
  expect(page.querySelector(".verdict-head")?.textContent).toBe(
    "Basil is narrowly ahead, by 2 ballots. Without the ballot of ada or Basil, it would not lead.",
  );
});
