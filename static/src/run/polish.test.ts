import { describe, expect, it } from "vitest";
import type { Adversary, CouncilEvent, Critique, Refinement } from "../api/types";
import { describeRun } from "../features/council/describe";
import { readEvent } from "../stream/decode";
import { answer, seats, storedRun, synthesis, wholeRun } from "../test/samples";
import { reduce, reduceAll } from "./reduce";
import { draftBefore } from "./refinement";
import { newRun } from "./state";
import { fromStored } from "./stored";

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
const refinement: Refinement = {
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

const adversary: Adversary = {
  adversary_model: "eve/one",
  critique: "It harms.",
  has_issues: true,
  severity: "major",
  severity_from: "stated",
  revised: true,
  revision: "Careful draft.",
  total_cost: 0.002,
  unknown_cost_calls: 1,
};
const attack: CouncilEvent[] = [
  { type: "adversary_start", adversary_model: "eve/one" },
  { type: "adversary_token", model: "eve/one", content: "It " },
  { type: "adversary_token", model: "eve/one", content: "harms." },
  {
    type: "adversary_complete",
    model: "eve/one",
    critique: "It harms.",
    has_issues: true,
    severity: "major",
    severity_from: "stated",
    latency_ms: 5,
  },
];
const defence: CouncilEvent[] = [
  { type: "adversary_revision_start", chairman_model: "cedar/pro", severity: "major" },
  { type: "adversary_revision_token", model: "cedar/pro", content: "Careful" },
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
    total_cost: 0.002,
    unknown_cost_calls: 1,
  },
];

describe("refinement", () => {
  it("counts critiques as they come, and lists them in the members' order in the end", () => {
    const two = reduceAll(drafted, refining.slice(0, 4));
    expect(describeRun(two)).toBe("Refinement: round 1 of at most 3, 1 of 2 critiques in.");
    const all = reduceAll(drafted, refining.slice(0, 6));
    expect(all.refinement?.iterations[0]?.critiques.map((one) => one.member)).toEqual([
      "aurora/large",
      "Basil",
    ]);
  });

  it("leaves the draft on the page while a revision is written", () => {
    const writing = reduceAll(drafted, refining.slice(0, 9));
    expect(writing.refinement?.iterations[0]).toMatchObject({
      status: "revising",
      text: "Draft, revised.",
    });
    expect(writing.synthesis.text).toBe("Draft.");
  });

  it("puts a whole revision in the answer's place, and keeps what was first written", () => {
    const run = reduceAll(drafted, refining);
    expect(run.synthesis).toMatchObject({ text: "Draft, revised.", status: "done" });
    expect(run.synthesis.result?.draft).toBe("Draft.");
    expect(draftBefore(run, 1)).toBe("Draft.");
    expect(draftBefore(run, 2)).toBe("Draft, revised.");
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
    expect(run.refinement?.iterations[0]).toMatchObject({
      status: "stopped",
      reason: "cedar/pro could not revise the draft.",
    });
    expect(run.synthesis.text).toBe("Draft.");
  });

  it("begins a lost revision anew", () => {
    const again = reduce(reduceAll(drafted, refining.slice(0, 8)), {
      type: "call_restarted",
      stage: "refinement",
      model: "cedar/pro",
    });
    expect(again.refinement?.iterations[0]).toMatchObject({ text: "", status: "revising" });
  });

  it("that was stopped in the middle keeps what it had", () => {
    const run = reduce(reduceAll(drafted, refining.slice(0, 8)), { type: "cancelled" });
    expect(run.refinement).toMatchObject({ done: true });
    expect(run.refinement?.iterations[0]).toMatchObject({ status: "stopped", text: "Dra" });
  });
});

describe("the devil's advocate", () => {
  it("leaves the answer on the page until the revision is whole", () => {
    const judged = reduceAll(drafted, attack);
    expect(judged.adversary).toMatchObject({ critique: "It harms.", severity: "major" });
    const revising = reduceAll(judged, defence.slice(0, 2));
    expect(revising.synthesis.text).toBe("Draft.");
    expect(describeRun(revising)).toBe("Devil’s advocate: the answer is revised.");
    const done = reduceAll(revising, defence.slice(2));
    expect(done.synthesis.text).toBe("Careful draft.");
    expect(draftBefore(done)).toBe("Draft.");
  });

  it("that fails leaves the answer as it is, and says so", () => {
    const run = reduceAll(drafted, [
      ...attack.slice(0, 2),
      {
        type: "adversary_error",
        model: "eve/one",
        error: "gone",
        error_kind: "overloaded",
        critique: "It",
      },
    ]);
    expect(run.adversary).toMatchObject({ status: "done", critique: "It", severity: null });
    expect(run.adversary?.error).toBe("eve/one could not attack the answer: gone");
    expect(run.synthesis.text).toBe("Draft.");
  });

  it("begins a lost attack anew", () => {
    const again = reduce(reduceAll(drafted, attack.slice(0, 2)), {
      type: "call_restarted",
      stage: "adversary",
      model: "eve/one",
    });
    expect(again.adversary?.critique).toBe("");
  });
});

describe("a stored message", () => {
  const message = storedRun(answers, [], {
    ...synthesis({ response: "Careful draft." }),
    draft: "Draft.",
    truncated: false,
  });

  it("looks as the refined and attacked run did when it ended", () => {
    const live = reduceAll(drafted, [...refined, ...attack, ...defence, ...events.slice(-2)]);
    const stored = { ...message, metadata: { ...message.metadata, refinement, adversary } };
    expect(fromStored(stored, "c1")).toEqual(live);
  });
});

describe("a newer or older server", () => {
  it("may leave fields out without breaking the page", () => {
    const bare = [...refined, ...attack, ...defence].flatMap(
      ({ type }) => readEvent(JSON.stringify({ type })) ?? [],
    );
    expect(bare.length).toBeGreaterThan(20);
    expect(() => reduceAll(drafted, bare)).not.toThrow();
  });
});
