import { describe, expect, it } from "vitest";
import type { CouncilEvent } from "../api/types";
import { newRun } from "../run/state";
import { answer, seats, storedRun, synthesis, wholeRun } from "../test/samples";
import { answerBefore } from "./council/drafts";
import { fromStored, reduce, reduceAll } from "./reducer";

const answers = seats.map((seat) => answer(seat));
const events = wholeRun(answers, [], synthesis({ response: "Draft." }));
const drafted = reduceAll(
  newRun,
  events.slice(0, events.findIndex(({ type }) => type === "stage3_complete") + 1),
);

const refining: CouncilEvent[] = [
  { type: "refinement_start", max_iterations: 1 },
  { type: "iteration_start", iteration: 1 },
  {
    type: "revision_complete",
    iteration: 1,
    model: "cedar/pro",
    content: "Draft, revised.",
    latency_ms: 1,
  },
];
const refinement = {
  max_iterations: 1,
  iterations: [
    {
      iteration: 1,
      critiques: [],
      substantive_count: 0,
      substantive_critique_count: 0,
      revision: "Draft, revised.",
    },
  ],
  final_response: "Draft, revised.",
  total_iterations: 1,
  converged: false,
  total_cost: null,
  unknown_cost_calls: 0,
};
const adversary = {
  adversary_model: "eve/one",
  critique: "It harms.",
  has_issues: true,
  severity: "major" as const,
  severity_from: "stated" as const,
  revised: true,
  revision: "Careful draft.",
  total_cost: null,
  unknown_cost_calls: 0,
};
const attack: CouncilEvent[] = [
  { type: "adversary_start", adversary_model: "eve/one" },
  {
    type: "adversary_complete",
    model: "eve/one",
    critique: "It harms.",
    has_issues: true,
    severity: "major",
    severity_from: "stated",
    latency_ms: 5,
  },
  {
    type: "adversary_revision_complete",
    model: "cedar/pro",
    response: "Careful draft.",
    latency_ms: 5,
  },
  {
    type: "adversary_validation_complete",
    issues_found: true,
    severity: "major",
    revised: true,
    final_response: "Careful draft.",
    unknown_cost_calls: 0,
  },
];

describe("a run with several options", () => {
  const live = reduceAll(drafted, [
    ...refining,
    { type: "refinement_complete", ...refinement },
    ...attack,
    ...events.slice(-2),
  ]);

  it("hands the answer from one to the next", () => {
    expect(answerBefore("refinement", live)).toBe("Draft.");
    expect(answerBefore("adversary", live)).toBe("Draft, revised.");
    expect(live.synthesis.text).toBe("Careful draft.");
    expect(live.synthesis.result?.draft).toBe("Draft.");
  });

  it("looks the same once it is stored", () => {
    const message = storedRun(answers, [], {
      ...synthesis({ response: "Careful draft." }),
      draft: "Draft.",
      truncated: false,
    });
    const stored = { ...message, metadata: { ...message.metadata, refinement, adversary } };
    expect(fromStored(stored, "c1")).toEqual(live);
  });
});

it("an event that only one feature hears of leaves the others' parts as they are", () => {
  const refined = reduceAll(drafted, refining);
  const attacked = reduce(refined, attack[0] as CouncilEvent);
  expect(attacked.slices.refinement).toBe(refined.slices.refinement);
});
