import { describe, expect, it } from "vitest";
import type { CouncilEvent } from "../../api/types";
import { newRun } from "../../run/state";
import { readEvent } from "../../stream/decode";
import { answer, review, seats, storedRun, synthesis, wholeRun } from "../../test/samples";
import { describeRun } from "../council/describe";
import { fromStored, reduceAll } from "../reducer";
import type { ConsensusInfo } from "./state";

const answers = seats.map((seat) => answer(seat));
const reviews = seats.map((seat) => review(seat));
const events = wholeRun(answers, reviews, synthesis());
const before = events.findIndex((event) => event.type === "stage3_start");
const reviewed = reduceAll(newRun, events.slice(0, before));
const ending = events.slice(-2);

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

  it("of a newer or older server may lack fields without breaking the page", () => {
    const bare = [...settling].flatMap(({ type }) => readEvent(JSON.stringify({ type })) ?? []);
    expect(bare.length).toBeGreaterThan(1);
    expect(() => reduceAll(reviewed, bare)).not.toThrow();
  });
});
