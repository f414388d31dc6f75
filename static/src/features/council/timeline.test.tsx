import { describe, expect, it } from "vitest";
import type { CouncilEvent } from "../../api/types";
import { newRun } from "../../run/state";
import { render } from "../../test/render";
import { answer, seats } from "../../test/samples";
import { reduceAll } from "../reducer";
import { asksOne, describeRun } from "./describe";
import { stageNames } from "./stages";
import { Timeline } from "./timeline";

const steps = async (...events: CouncilEvent[]) => {
  const page = await render(<Timeline run={reduceAll(newRun, events)} />);
  return [...page.querySelectorAll("li")].map(
    (step) => `${step.className.replace("timeline-", "")}: ${step.textContent}`,
  );
};

describe("the timeline", () => {
  it("has one step where one seat alone is asked", async () => {
    const one = seats.slice(0, 1);
    const run = reduceAll(newRun, [{ type: "stage1_start", members: one, use_cot: false }]);
    const page = await render(<Timeline run={run} alone={asksOne(run)} />);
    expect([...page.querySelectorAll("li")].map((step) => step.textContent)).toEqual(["Answer"]);
    expect(describeRun(run)).toBe("The answer is being written.");
    // Before anybody has begun only the page that asked knows.
    expect([asksOne(newRun), asksOne(newRun, "Basil")]).toEqual([false, true]);
  });

  it("has the stages of every council", async () => {
    expect(await steps({ type: "stage1_start", members: seats, use_cot: false })).toEqual([
      "now: Answers0/2",
      "ahead: Reviews",
      "ahead: Final answer",
    ]);
  });

  it("counts no member that failed among those that have answered", async () => {
    const [one] = seats;
    if (!one) throw new Error("there is no seat");
    const [answers] = await steps(
      { type: "stage1_start", members: seats, use_cot: false },
      {
        type: "stage1_error",
        ...one,
        error: "It is busy.",
        error_kind: "rate_limited",
        data: answer(one, { response: "", error: "It is busy.", error_kind: "rate_limited" }),
      },
    );
    expect(answers).toBe("now: Answers0/2");
  });

  it("has those of options once they are there, in their places", async () => {
    expect(
      await steps(
        { type: "routing_start" },
        { type: "stage3_start", model: "cedar/pro" },
        { type: "refinement_start", max_iterations: 2 },
        { type: "iteration_start", iteration: 1 },
        { type: "adversary_start", adversary_model: "eve/one" },
      ),
    ).toEqual([
      "done: Answers",
      // A run that comes to its final answer without a review has none.
      "done: Final answer",
      "done: Refinementround 1",
      "now: Devil’s advocate",
    ]);
    expect(await steps({ type: "routing_start" })).toContain("now: Routing");
  });
});

it("the stages are named in the order of a run", () => {
  const order = ["routing", "stage1", "stage2", "stage3", "refinement", "adversary", "title"];
  expect(stageNames.map(([key]) => key).filter((key) => order.includes(key))).toEqual(order);
});
