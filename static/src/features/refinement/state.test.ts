import { describe, expect, it } from "vitest";
import type { CouncilEvent, Schemas } from "../../api/types";
import { newRun } from "../../run/state";
import { readEvent } from "../../stream/decode";
import { answer, seats, storedRun, synthesis, wholeRun } from "../../test/samples";
import { describeRun } from "../council/describe";
import { answerBefore } from "../council/drafts";
import { fromStored, reduce, reduceAll } from "../reducer";
import { type Critique, refinementOf } from "./state";

const answers = seats.map((seat) => answer(seat));
const events = wholeRun(answers, [], synthesis({ response: "Draft." }));
const upToTheDraft = events.slice(
  0,
  events.findIndex((event) => event.type === "stage3_complete") + 1,
);
const drafted = reduceAll(newRun, upToTheDraft);

const critique = (at: number, more: Partial<Critique> = {}): Critique => ({
  model: seats[at]?.model ?? "",
  member: seats[at]?.member ?? "",
  critique: "The year is wrong.",
  is_substantive: true,
  cost: 0.001,
  latency_ms: 900,
  ...more,
});

const round = (iteration: number, text: string): CouncilEvent[] => [
  { type: "iteration_start", iteration },
  { type: "critiques_start", iteration, model_count: 2 },
  { type: "critique_complete", iteration, ...critique(1) },
  { type: "critique_complete", iteration, ...critique(0) },
  {
    type: "critiques_complete",
    iteration,
    substantive_count: 2,
    critiques: [critique(0), critique(1)],
  },
  { type: "revision_start", iteration, model: "cedar/pro" },
  { type: "revision_token", iteration, model: "cedar/pro", content: text.slice(0, 3) },
  { type: "revision_token", iteration, model: "cedar/pro", content: text.slice(3) },
  { type: "revision_complete", iteration, model: "cedar/pro", content: text, latency_ms: 1 },
  { type: "iteration_complete", iteration, revision: text },
];

const praise = critique(0, { critique: "Nothing to add.", is_substantive: false });
const converged: CouncilEvent[] = [
  { type: "iteration_start", iteration: 2 },
  { type: "critiques_start", iteration: 2, model_count: 1 },
  { type: "critique_complete", iteration: 2, ...praise },
  { type: "critiques_complete", iteration: 2, substantive_count: 0, critiques: [praise] },
  {
    type: "refinement_converged",
    iteration: 2,
    reason: "None of 1 critics named a fault.",
    final_response: "Draft, revised.",
  },
];
const refinement: Schemas["Refinement"] = {
  max_iterations: 3,
  iterations: [
    {
      iteration: 1,
      critiques: [critique(0), critique(1)],
      substantive_count: 2,
      substantive_critique_count: 2,
      revision: "Draft, revised.",
    },
    {
      iteration: 2,
      critiques: [praise],
      substantive_count: 0,
      substantive_critique_count: 0,
      revision: null,
      stopped: true,
      stop_reason: "None of 1 critics named a fault.",
    },
  ],
  final_response: "Draft, revised.",
  total_iterations: 2,
  converged: true,
  total_cost: 0.005,
  unknown_cost_calls: 0,
};
const refining: CouncilEvent[] = [
  { type: "refinement_start", max_iterations: 3 },
  ...round(1, "Draft, revised."),
];
const refined = [
  ...refining,
  ...converged,
  { type: "refinement_complete", ...refinement } as const,
];

describe("refinement", () => {
  it("counts critiques as they come, and lists them in the members' order in the end", () => {
    const two = reduceAll(drafted, refining.slice(0, 4));
    expect(describeRun(two)).toBe("Refinement: round 1 of at most 3, 1 of 2 critiques in.");
    const all = reduceAll(drafted, refining.slice(0, 6));
    expect(refinementOf(all)?.iterations[0]?.critiques.map((one) => one.member)).toEqual([
      "aurora/large",
      "Basil",
    ]);
  });

  it("leaves the draft on the page while a revision is written", () => {
    const writing = reduceAll(drafted, refining.slice(0, 9));
    expect(refinementOf(writing)?.iterations[0]).toMatchObject({
      status: "revising",
      text: "Draft, revised.",
    });
    expect(writing.synthesis.text).toBe("Draft.");
  });

  it("puts a whole revision in the answer's place, and keeps what was first written", () => {
    const run = reduceAll(drafted, refining);
    expect(run.synthesis).toMatchObject({ text: "Draft, revised.", status: "done" });
    expect(run.synthesis.result?.draft).toBe("Draft.");
    expect(answerBefore("refinement", run)).toBe("Draft.");
    expect(answerBefore("adversary", run)).toBe("Draft, revised.");
  });

  it("says why it ended without a revision", () => {
    const run = reduceAll(drafted, [
      ...refining.slice(0, 7),
      {
        type: "revision_error",
        iteration: 1,
        model: "cedar/pro",
        error: "too slow",
        error_kind: "timeout",
      },
      {
        type: "iteration_complete",
        iteration: 1,
        revision: null,
        stop_reason: "cedar/pro could not revise the draft.",
      },
    ]);
    expect(refinementOf(run)?.iterations[0]).toMatchObject({
      status: "stopped",
      reason: { text: "cedar/pro could not revise the draft.", fact: null },
    });
    expect(run.synthesis.text).toBe("Draft.");
  });

  it("begins a lost revision anew", () => {
    const again = reduce(reduceAll(drafted, refining.slice(0, 8)), {
      type: "call_restarted",
      stage: "refinement",
      model: "cedar/pro",
    });
    expect(refinementOf(again)?.iterations[0]).toMatchObject({ text: "", status: "revising" });
  });

  it("that was stopped in the middle keeps what it had", () => {
    const run = reduce(reduceAll(drafted, refining.slice(0, 8)), { type: "cancelled" });
    expect(refinementOf(run)).toMatchObject({ done: true });
    expect(refinementOf(run)?.iterations[0]).toMatchObject({ status: "stopped", text: "Dra" });
  });

  it("looks the same once it is stored", () => {
    const live = reduceAll(drafted, [...refined, ...events.slice(-2)]);
    const final = {
      ...synthesis({ response: "Draft, revised." }),
      draft: "Draft.",
      truncated: false,
    };
    const message = storedRun(answers, [], final);
    const stored = { ...message, metadata: { ...message.metadata, refinement } };
    expect(fromStored(stored, "c1")).toEqual(live);
  });

  it("of a newer or older server may lack fields without breaking the page", () => {
    const bare = [...refined].flatMap(({ type }) => readEvent(JSON.stringify({ type })) ?? []);
    expect(bare.length).toBeGreaterThan(10);
    expect(() => reduceAll(drafted, bare)).not.toThrow();
  });
});
