import { describe, expect, it } from "vitest";
import type { CouncilEvent } from "../../api/types";
import { newRun } from "../../run/state";
import { readEvent } from "../../stream/decode";
import { answer, review, seats, storedRun, synthesis, wholeRun } from "../../test/samples";
import { describeRun } from "../council/describe";
import { fromStored, reduce, reduceAll } from "../reducer";
import { chairmenOf, type SynthesisDraft } from "./state";

const answers = seats.map((seat) => answer(seat));
const reviews = seats.map((seat) => review(seat));
const events = wholeRun(answers, reviews, synthesis());
const before = events.findIndex((event) => event.type === "stage3_start");
const reviewed = reduceAll(newRun, events.slice(0, before));
const ending = events.slice(-2);

const draft = (label: string, more: Partial<SynthesisDraft> = {}): SynthesisDraft => ({
  label,
  model: `cedar/${label}`,
  response: `Draft ${label}.`,
  cost: 0.002,
  latency_ms: 700,
  ...more,
});
const drafts = [draft("A"), draft("B"), draft("C", { error: "too slow", error_kind: "timeout" })];
const drafting: CouncilEvent[] = [
  { type: "stage3_start", model: "cedar/pro" },
  { type: "multi_synthesis_start", models: ["cedar/A", "cedar/B", "cedar/C"] },
  { type: "synthesis_complete", data: drafts[1] as SynthesisDraft },
  { type: "synthesis_complete", data: drafts[0] as SynthesisDraft },
  { type: "synthesis_complete", data: drafts[2] as SynthesisDraft },
  { type: "multi_synthesis_complete", syntheses: drafts },
];
const choosing: CouncilEvent[] = [
  { type: "selection_start", model: "cedar/pro" },
  { type: "selection_token", model: "cedar/pro", content: "EVALUATION: B " },
  { type: "selection_token", model: "cedar/pro", content: "is complete." },
  {
    type: "selection_complete",
    data: {
      model: "cedar/pro",
      selected_synthesis: "B",
      selected_model: "cedar/B",
      is_read: true,
      selection_reasoning: "It is complete.",
      evaluation: "EVALUATION: B is complete.",
      response: "Draft B.",
    },
  },
];
const chosen = synthesis({
  model: "cedar/B",
  response: "Draft B.",
  syntheses: drafts,
  selected_synthesis: "B",
  selected_model: "cedar/B",
  selected_by: "cedar/pro",
  selection_reasoning: "It is complete.",
  evaluation: "EVALUATION: B is complete.",
});

describe("several chairmen", () => {
  it("are shown in the order of their labels, however they finish", () => {
    const two = reduceAll(reviewed, drafting.slice(0, 4));
    expect(chairmenOf(two)?.drafts.map(({ label }) => label)).toEqual(["A", "B"]);
    expect(describeRun(two)).toBe("Stage 3: 2 of 3 drafts in.");
  });

  it("wait for the choice, which is shown as it is written", () => {
    const run = reduceAll(reviewed, [...drafting, ...choosing.slice(0, 3)]);
    expect(chairmenOf(run)).toMatchObject({
      selector: "cedar/pro",
      selected: null,
      evaluation: "EVALUATION: B is complete.",
    });
    expect(describeRun(run)).toBe("Stage 3: pro chooses among 3 drafts.");
  });

  it("get a second judge when the first fails, and the page says so", () => {
    const run = reduceAll(reviewed, [
      ...drafting,
      ...choosing.slice(0, 2),
      { type: "selection_error", model: "cedar/pro", error: "gone", error_kind: "overloaded" },
      { type: "selection_start", model: "dune/reasons" },
    ]);
    expect(chairmenOf(run)).toMatchObject({ selector: "dune/reasons", evaluation: "" });
    expect(run.synthesis.failures).toEqual([
      { model: "cedar/pro", error: "gone", error_kind: "overloaded", error_fact: null },
    ]);
  });

  it("begin a lost choice anew", () => {
    const run = reduceAll(reviewed, [...drafting, ...choosing.slice(0, 2)]);
    const again = reduce(run, { type: "call_restarted", stage: "stage3", model: "cedar/pro" });
    expect(chairmenOf(again)).toMatchObject({ evaluation: "", selector: "cedar/pro" });
  });

  it("look the same once they are stored", () => {
    const live = reduceAll(reviewed, [
      ...drafting,
      ...choosing,
      { type: "stage3_complete", data: chosen },
      ...ending,
    ]);
    expect(fromStored(storedRun(answers, reviews, chosen), "c1")).toEqual(live);
  });

  it("of a newer or older server may lack fields without breaking the page", () => {
    const bare = [...drafting, ...choosing].flatMap(
      ({ type }) => readEvent(JSON.stringify({ type })) ?? [],
    );
    expect(bare.length).toBeGreaterThan(8);
    expect(() => reduceAll(reviewed, bare)).not.toThrow();
  });
});
