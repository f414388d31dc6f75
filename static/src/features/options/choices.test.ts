import { describe, expect, it } from "vitest";
import { config } from "../../test/samples";
import { chosen, defaults, obstacle, readChoices, toAsk } from "./choices";

const equipped = {
  ...config,
  multi_chairman_models: ["a/one", "b/two"],
  routing_pools: { coding: ["a/one", "b/two"] },
  tier1_models: ["a/one", "b/two"],
  tier2_models: ["c/three"],
};
const all = {
  ...defaults,
  use_cot: true,
  use_dynamic_routing: true,
  use_escalation: true,
  use_early_consensus: true,
  use_multi_chairman: true,
  use_refinement: true,
  use_adversary: true,
};

describe("what is sent", () => {
  it("is nothing for a plain run", () => {
    expect(toAsk(defaults, config)).toEqual({});
  });

  it("is what differs from a plain run", () => {
    const choices = { ...defaults, use_weighted_consensus: false, use_cot: true, verbosity: 2 };
    expect(toAsk(choices, config)).toEqual({
      use_weighted_consensus: false,
      use_cot: true,
      verbosity: 2,
    });
  });

  it("has the numbers of an option only with it", () => {
    const three = { ...defaults, refinement_max_iterations: 3, straggler_grace_ms: 5000 };
    expect(toAsk(three, config)).toEqual({});
    expect(toAsk({ ...three, use_refinement: true }, config)).toEqual({
      use_refinement: true,
      refinement_max_iterations: 3,
    });
  });

  it("has no quorum that the council cannot miss", () => {
    const members = [...config.council_models, { model: "c/three" }];
    const choices = { ...defaults, quorum: 2, straggler_grace_ms: 5000 };
    expect(toAsk(choices, config)).toEqual({});
    expect(toAsk(choices, { ...config, council_models: members })).toEqual({
      quorum: 2,
      straggler_grace_ms: 5000,
    });
  });

  it("leaves out what the council has no models for", () => {
    expect(Object.keys(toAsk(all, config)).sort()).toEqual([
      "use_adversary",
      "use_cot",
      "use_early_consensus",
      "use_refinement",
    ]);
  });

  it("leaves out escalation while routing chooses the members", () => {
    const ask = toAsk(all, equipped);
    expect(ask).toMatchObject({ use_dynamic_routing: true, use_multi_chairman: true });
    expect(ask).not.toHaveProperty("use_escalation");
    expect(toAsk({ ...all, use_dynamic_routing: false }, equipped)).toHaveProperty(
      "use_escalation",
      true,
    );
  });
});

describe("an obstacle", () => {
  it("says where it can be mended, or which option is in the way", () => {
    expect(obstacle("use_escalation", all, config)?.settings).toBe("escalation");
    expect(obstacle("use_escalation", all, equipped)).toEqual({
      reason: "Routing chooses the members already.",
      settings: null,
    });
  });

  it("of routing does not stand in the way of escalation", () => {
    const tiersOnly = { ...equipped, routing_pools: {} };
    expect(obstacle("use_escalation", all, tiersOnly)).toBeNull();
  });
});

describe("the chips", () => {
  it("show what counts, and how to take it back", () => {
    const choices = { ...all, use_weighted_consensus: false, refinement_max_iterations: 3 };
    expect(chosen(choices, config).map((entry) => entry.text)).toEqual([
      "Step by step",
      "Unweighted votes",
      "Early consensus",
      "Refinement ×3",
      "Devil’s advocate",
    ]);
    const weights = chosen(choices, config).find(({ key }) => key === "use_weighted_consensus");
    expect(weights?.off).toEqual({ use_weighted_consensus: true });
  });
});

describe("what was kept", () => {
  it("is read as far as it makes sense", () => {
    const kept = { use_cot: "yes", use_refinement: true, refinement_max_iterations: 99, quorum: 2 };
    expect(readChoices(kept)).toEqual({ ...defaults, use_refinement: true, quorum: 2 });
    for (const junk of [null, 3, "x", []]) expect(readChoices(junk)).toEqual(defaults);
  });
});
