import { describe, expect, it } from "vitest";
import type { CouncilEvent } from "../../api/types";
import { newRun } from "../../run/state";
import { readEvent } from "../../stream/decode";
import { answer, seats, storedRun, synthesis, wholeRun } from "../../test/samples";
import { describeRun } from "../council/describe";
import { fromStored, reduceAll } from "../reducer";
import { type RoutingInfo, routingOf } from "./state";

const started: CouncilEvent = {
  type: "run_started",
  run_id: "r1",
  conversation_id: "c1",
  message_id: "m1",
};

const routing: RoutingInfo = {
  category: "coding",
  confidence: 0.9,
  reasoning: "It asks for code.",
  source: "model",
  models: ["aurora/large", "boreal/chat"],
  is_routed: true,
  pool_size: 2,
  total_models: 4,
  routed_model_count: 2,
};

describe("routing", () => {
  it("says that it is being found out who answers, then who does and why", () => {
    const asked = reduceAll(newRun, [started, { type: "routing_start" }]);
    expect(describeRun(asked)).toBe("Finding out who should answer.");
    const known = reduceAll(asked, [{ type: "routing_complete", data: routing }]);
    expect(routingOf(known)?.category).toBe("coding");
  });

  it("looks the same once it is stored", () => {
    const answers = seats.map((seat) => answer(seat));
    const [first, ...rest] = wholeRun(answers, [], synthesis());
    const live = reduceAll(newRun, [
      first as CouncilEvent,
      { type: "routing_start" },
      { type: "routing_complete", data: routing },
      ...rest,
    ]);
    const message = storedRun(answers, [], synthesis());
    const stored = { ...message, metadata: { ...message.metadata, routing_info: routing } };
    expect(fromStored(stored, "c1")).toEqual(live);
  });

  it("of a newer or older server may lack fields without breaking the page", () => {
    const bare = readEvent(JSON.stringify({ type: "routing_complete" })) as CouncilEvent;
    expect(() => reduceAll(newRun, [started, bare])).not.toThrow();
  });
});
