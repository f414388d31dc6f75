import { describe, expect, it } from "vitest";
import type { CouncilEvent } from "../../api/types";
import { newRun } from "../../run/state";
import { readEvent } from "../../stream/decode";
import {
  answer,
  facts,
  review,
  row,
  seats,
  storedRun,
  synthesis,
  wholeRun,
} from "../../test/samples";
import { fromStored, reduceAll } from "../reducer";
import { type EscalationInfo, escalationOf } from "./state";

const [aurora, basil] = seats as [(typeof seats)[0], (typeof seats)[0]];
const confidence = { average: 5, min: 5, max: 5, count: 1, total_models: 1, distribution: {} };
const started: CouncilEvent = {
  type: "run_started",
  run_id: "r1",
  conversation_id: "c1",
  message_id: "m1",
};

const escalation: EscalationInfo = {
  escalated: true,
  tier1_model_count: 1,
  tier2_model_count: 1,
  total_model_count: 2,
  reasons: ["the average confidence 5 is below 6"],
  metrics: {
    average_confidence: 5,
    confidence_threshold: 6,
    min_confidence: 5,
    min_confidence_threshold: 4,
    confidence_count: 1,
    agreement_ratio: null,
    agreement_threshold: 0.5,
  },
  triggers: {
    low_avg_confidence: true,
    low_min_confidence: false,
    low_agreement: false,
    no_answer: false,
  },
};
const first = answer(aurora, { tier: 1 });
const second = answer(basil, { tier: 2 });
const firstTier: CouncilEvent[] = [
  started,
  { type: "stage1_start", members: [aurora], use_cot: false },
  { type: "tier1_start", models: [aurora.model], members: [aurora] },
  { type: "stage1_model_complete", ...aurora, data: first },
  { type: "tier1_complete", data: [first], metadata: { aggregate_confidence: confidence } },
];
const widened: CouncilEvent[] = [
  { type: "escalation_triggered", data: escalation },
  { type: "tier2_start", models: [basil.model], members: [basil] },
  { type: "stage1_token", ...basil, content: "So" },
];

describe("escalation", () => {
  it("seats the second tier beside the first", () => {
    const run = reduceAll(newRun, [...firstTier, ...widened]);
    expect(run.answers.map(({ seat, tier, status }) => [seat.member, tier, status])).toEqual([
      ["aurora/large", 1, "done"],
      ["Basil", 2, "writing"],
    ]);
    expect(escalationOf(run)?.escalated).toBe(true);
  });

  it("after the reviews goes back to the answers, and drops the first reviews for the second", () => {
    const once = reduceAll(newRun, [
      ...firstTier,
      { type: "stage1_complete", data: [first], metadata: { aggregate_confidence: confidence } },
      { type: "stage2_start", members: [aurora] },
      {
        type: "stage2_complete",
        data: [review(aurora)],
        metadata: {
          label_to_model: { "Response A": aurora.model },
          label_to_member: { "Response A": aurora.member },
          aggregate_rankings: [row(aurora)],
          aggregate: facts,
        },
      },
      ...widened,
    ]);
    expect(once).toMatchObject({ phase: "stage1" });
    expect(once.reviews).toHaveLength(1);
    const again = reduceAll(once, [
      {
        type: "stage1_complete",
        data: [first, second],
        metadata: { aggregate_confidence: confidence },
      },
      { type: "stage2_start", members: seats },
    ]);
    expect(again.reviews.map(({ status }) => status)).toEqual(["writing", "writing"]);
    expect(again).toMatchObject({ aggregate: [], facts: null, labelToMember: {} });
  });

  it("forgives who was too late for the first tier", () => {
    const late = reduceAll(newRun, [
      ...firstTier.slice(0, 3),
      { type: "tier1_complete", data: [], metadata: { aggregate_confidence: confidence } },
      {
        type: "stage1_complete",
        data: [answer(basil)],
        metadata: { aggregate_confidence: confidence },
      },
    ]);
    expect(late.answers[0]?.late).toBe(true);
    expect(reduceAll(late, widened).answers[0]?.late).toBe(false);
  });

  it("looks the same once it is stored", () => {
    const whole = wholeRun([], [review(basil)], synthesis());
    const tail = whole.slice(whole.findIndex((event) => event.type === "stage2_start"));
    const live = reduceAll(newRun, [
      ...firstTier,
      ...widened,
      { type: "stage1_model_complete", ...basil, data: second },
      {
        type: "stage1_complete",
        data: [first, second],
        metadata: { aggregate_confidence: confidence },
      },
      ...tail,
    ]);
    const message = storedRun([first, second], [review(basil)], synthesis());
    const metadata = {
      ...message.metadata,
      aggregate_confidence: confidence,
      escalation_info: escalation,
    };
    expect(fromStored({ ...message, metadata }, "c1")).toEqual(live);
  });

  it("of a newer or older server may lack fields without breaking the page", () => {
    const bare = [...firstTier, ...widened].flatMap(
      ({ type }) => readEvent(JSON.stringify({ type })) ?? [],
    );
    expect(bare).toHaveLength(8);
    expect(() => reduceAll(newRun, [started, ...bare])).not.toThrow();
  });
});
