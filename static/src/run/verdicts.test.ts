import { describe, expect, it } from "vitest";
import type { ConsensusInfo, CouncilEvent, SynthesisDraft } from "../api/types";
import { describeRun } from "../features/council/describe";
import { readEvent } from "../stream/decode";
import { answer, review, seats, storedRun, synthesis, wholeRun } from "../test/samples";
import { reduce, reduceAll } from "./reduce";
import { newRun } from "./state";
import { fromStored } from "./stored";

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
    expect(two.chairmen?.drafts.map(({ label }) => label)).toEqual(["A", "B"]);
    expect(describeRun(two)).toBe("Stage 3: 2 of 3 drafts in.");
  });

  it("wait for the choice, which is shown as it is written", () => {
    const run = reduceAll(reviewed, [...drafting, ...choosing.slice(0, 3)]);
    expect(run.chairmen).toMatchObject({
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
    expect(run.chairmen).toMatchObject({ selector: "dune/reasons", evaluation: "" });
    expect(run.synthesis.failures).toEqual([
      { model: "cedar/pro", error: "gone", kind: "overloaded" },
    ]);
  });

  it("begin a lost choice anew", () => {
    const run = reduceAll(reviewed, [...drafting, ...choosing.slice(0, 2)]);
    const again = reduce(run, { type: "call_restarted", stage: "stage3", model: "cedar/pro" });
    expect(again.chairmen).toMatchObject({ evaluation: "", selector: "cedar/pro" });
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
});

const info: ConsensusInfo = {
  is_consensus: true,
  consensus_model: "boreal/chat",
  consensus_member: "Basil",
  consensus_response: "Basil says so.",
  reason: "2 of 2 reviewers put the answer of Basil first.",
  metrics: {
    average_rank: 1,
    first_place_votes: 2,
    total_voters: 2,
    agreement_ratio: 1,
    average_confidence: 8,
  },
};
const agreed = synthesis({ model: "boreal/chat", response: "Basil says so.", cost: 0 });
const settling: CouncilEvent[] = [
  { type: "consensus_detected", data: info },
  { type: "stage3_complete", data: agreed },
];

describe("early consensus", () => {
  it("is the final answer at once", () => {
    const run = reduceAll(reviewed, settling.slice(0, 1));
    expect(describeRun(run)).toBe("The council agreed: nobody has to write.");
    expect(reduceAll(run, settling.slice(1)).synthesis.text).toBe("Basil says so.");
  });

  it("looks the same once it is stored", () => {
    const message = storedRun(answers, reviews, agreed);
    const stored = { ...message, metadata: { ...message.metadata, consensus_info: info } };
    expect(fromStored(stored, "c1")).toEqual(reduceAll(reviewed, [...settling, ...ending]));
  });
});

describe("a newer or older server", () => {
  it("may leave fields out without breaking the page", () => {
    const bare = [...drafting, ...choosing, ...settling].flatMap(
      ({ type }) => readEvent(JSON.stringify({ type })) ?? [],
    );
    expect(bare.length).toBeGreaterThan(10);
    expect(() => reduceAll(reviewed, bare)).not.toThrow();
  });
});
