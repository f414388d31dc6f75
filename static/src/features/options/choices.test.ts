import { describe, expect, it } from "vitest";
import type { Config, Preset } from "../../api/types";
import { config } from "../../test/samples";
import type { Choices } from "../feature";
import { chosen, defaults, formatsOf, obstacle, readChoices, sceneOf, toAsk } from "./choices";

/** Each setting left as it is. */
const noSettings = Object.fromEntries(
  Object.keys(config).map((name) => [name, null]),
) as unknown as Preset["settings"];
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

const sent = (own: Partial<Choices>, by: Config = config, preset: Preset | null = null) =>
  toAsk(sceneOf(own, by, preset));

describe("what is sent", () => {
  it("is nothing for a plain run", () => {
    expect(sent({})).toEqual({});
  });

  it("is what differs from a plain run", () => {
    const choices = { ...defaults, use_weighted_consensus: false, use_cot: true, verbosity: 2 };
    expect(sent(choices)).toEqual({
      use_weighted_consensus: false,
      use_cot: true,
      verbosity: 2,
    });
  });

  it("has the numbers of an option only with it", () => {
    const three = { ...defaults, refinement_max_iterations: 3, straggler_grace_ms: 5000 };
    expect(sent(three)).toEqual({});
    expect(sent({ ...three, use_refinement: true })).toEqual({
      use_refinement: true,
      refinement_max_iterations: 3,
    });
  });

  it("has no quorum that the council cannot miss", () => {
    const members = [...config.council_models, { model: "c/three" }];
    const choices = { ...defaults, quorum: 2, straggler_grace_ms: 5000 };
    expect(sent(choices)).toEqual({});
    expect(sent(choices, { ...config, council_models: members })).toEqual({
      quorum: 2,
      straggler_grace_ms: 5000,
    });
  });

  it("leaves out what the council has no models for", () => {
    expect(Object.keys(sent(all)).sort()).toEqual([
      "use_adversary",
      "use_cot",
      "use_early_consensus",
      "use_refinement",
    ]);
  });

  it("leaves out escalation while routing chooses the members", () => {
    const ask = sent(all, equipped);
    expect(ask).toMatchObject({ use_dynamic_routing: true, use_multi_chairman: true });
    expect(ask).not.toHaveProperty("use_escalation");
    expect(sent({ ...all, use_dynamic_routing: false }, equipped)).toHaveProperty(
      "use_escalation",
      true,
    );
  });
});

describe("defaults of the settings or of a preset", () => {
  const careful = { ...config, default_options: { use_adversary: true, quorum: 1 } };
  const preset: Preset = {
    id: "p1",
    name: "Thorough",
    shared: false,
    settings: { ...noSettings, tier1_models: ["a/one", "b/two"], tier2_models: ["c/three"] },
    options: { use_refinement: true, refinement_max_iterations: 4 },
    created_at: "2026-01-01T10:00:00",
    updated_at: "2026-01-01T10:00:00",
  };

  it("are not repeated, and are taken back by name", () => {
    expect(sent({}, careful)).toEqual({});
    expect(sent({ use_adversary: false, quorum: null }, careful)).toEqual({
      use_adversary: false,
      quorum: 2,
    });
  });

  it("are the preset's alone when one is named", () => {
    expect(sent({}, careful, preset)).toEqual({ preset_id: "p1" });
    expect(sent({ refinement_max_iterations: 2 }, careful, preset)).toEqual({
      preset_id: "p1",
      refinement_max_iterations: 2,
    });
    expect(chosen(sceneOf({}, careful, preset)).map(({ text }) => text)).toEqual(["Refinement ×4"]);
  });

  it("come with the preset's own models", () => {
    expect(sent({ use_escalation: true })).toEqual({});
    expect(sent({ use_escalation: true }, config, preset)).toHaveProperty("use_escalation", true);
  });
});

describe("how many review", () => {
  it("is sent where it is fewer than there are", () => {
    expect(sent({ reviews_per_answer: 1 })).toEqual({ reviews_per_answer: 1 });
    // The council has two members.
    expect(sent({ reviews_per_answer: 2 })).toEqual({});
    const three = ["j/1", "j/2", "j/3"].map((model) => ({ model }));
    const outside = { ...config, reviewer_models: three };
    expect(sent({ reviews_per_answer: 2 }, outside)).toEqual({ reviews_per_answer: 2 });
    const drawn = { ...outside, default_options: { reviews_per_answer: 2 } };
    expect(sent({ reviews_per_answer: null }, drawn)).toEqual({ reviews_per_answer: 3 });
    const [chip] = chosen(sceneOf({}, drawn));
    expect(chip).toMatchObject({ text: "2 reviewers", off: { reviews_per_answer: null } });
  });
});

describe("how the final answer comes about", () => {
  it("is sent and shown where it is not the default", () => {
    expect(sent({ final: "auto", use_refinement: true })).toEqual({
      final: "auto",
      use_refinement: true,
    });
    expect(sent({ final: "write" })).toEqual({});
    const defaulted = { ...config, default_options: { final: "select" } };
    expect(sent({}, defaulted)).toEqual({});
    expect(sent({ final: "write" }, defaulted)).toEqual({ final: "write" });
    const [chip] = chosen(sceneOf({}, defaulted));
    expect(chip).toMatchObject({ key: "final", text: "Best-ranked, as it is" });
    expect(chip?.off).toEqual({ final: "write" });
    expect(readChoices({ final: "best" })).toEqual({});
  });

  it("leaves nothing to what only serves a written answer", () => {
    const choices = { ...all, final: "select" as const };
    const scene = { choices, config: equipped };
    for (const field of ["use_early_consensus", "use_multi_chairman", "use_refinement"] as const) {
      expect(obstacle(field, scene)?.reason).toContain("nothing is written");
      expect(toAsk(sceneOf(choices, equipped))).not.toHaveProperty(field);
    }
    expect(obstacle("use_cot", scene)).toBeNull();
  });
});

describe("the format", () => {
  const arena = { mode: "arena" };

  it("is sent with what was chosen of it alone", () => {
    expect(sent({ mode: "council", debate_style: "all_to_all", arena_rounds: 5 })).toEqual({});
    expect(sent({ ...arena, arena_rounds: 5, debate_rounds: 4 })).toEqual({
      mode: "arena",
      arena_rounds: 5,
    });
    expect(sent({ mode: "debate", include_rebuttal: false, arena_rounds: 5 })).toEqual({
      mode: "debate",
      debate_style: "rotation",
      include_rebuttal: false,
    });
  });

  it("leaves out what belongs to the council, and says so", () => {
    const choices = { ...all, ...arena, quorum: 1, use_weighted_consensus: false };
    expect(sent(choices, equipped)).toEqual({ mode: "arena", use_cot: true });
    expect(obstacle("use_refinement", { choices, config })?.reason).toBe(
      "Only in the council; chosen is Arena.",
    );
    expect(obstacle("use_cot", { choices, config })).toBeNull();
    expect(chosen(sceneOf(choices, equipped)).map(({ text }) => text)).toEqual([
      "Arena",
      "Step by step",
    ]);
  });

  it("leaves the council its options where it may answer after all", () => {
    const choices: Partial<Choices> = { mode: "decomposition", use_refinement: true, quorum: 1 };
    expect(sent({ ...choices, pick: "confidence" }, equipped)).toEqual({
      mode: "decomposition",
      pick: "confidence",
      use_refinement: true,
      quorum: 1,
    });
    expect(chosen(sceneOf({ ...choices, pick: "confidence" }, equipped))[1]).toMatchObject({
      text: "Best by confidence",
      off: { pick: "ballot" },
    });
  });

  it("is none that the server lacks", () => {
    const older = { ...equipped, modes: ["council", "debate"] };
    expect(formatsOf(older).map(({ key }) => key)).toEqual(["council", "rotation", "all_to_all"]);
    expect(formatsOf(undefined).length).toBeGreaterThan(3);
    expect(sent({ ...arena, use_refinement: true }, older)).toEqual({ use_refinement: true });
  });

  it("can be the default, and be taken back", () => {
    const debating = { ...config, default_options: { mode: "debate", debate_style: "all_to_all" } };
    expect(sent({}, debating)).toEqual({});
    expect(sent({ debate_rounds: 3, debate_names: "models" }, debating)).toEqual({
      debate_rounds: 3,
      debate_names: "models",
    });
    expect(sent({ mode: "council" }, debating)).toEqual({ mode: "council" });
    const [chip] = chosen(sceneOf({}, debating));
    expect(chip).toMatchObject({ text: "Debate of all with all", off: { mode: "council" } });
  });

  it("is read back only as far as it is known", () => {
    expect(readChoices({ mode: "quarrel", debate_rounds: 9, arena_rounds: 10 })).toEqual({
      arena_rounds: 10,
    });
    expect(readChoices({ ...arena, format_ballots: false, debate_names: "x" })).toEqual({
      mode: "arena",
      format_ballots: false,
    });
  });
});

describe("votes for one’s own answer", () => {
  const counting: Config = { ...config, self_votes: "counted", count_self_votes: true };
  const preset: Preset = {
    id: "p1",
    name: "Old",
    shared: false,
    settings: { ...noSettings, count_self_votes: false },
    options: {},
    created_at: "2026-01-01T10:00:00",
    updated_at: "2026-01-01T10:00:00",
  };

  it("count as older settings say, and the name wins over the flag", () => {
    expect(sceneOf({}, config).base.self_votes).toBe("adjusted");
    expect(sceneOf({}, counting).base.self_votes).toBe("counted");
    const leftOut: Config = { ...config, self_votes: "left_out" };
    expect(sceneOf({}, leftOut).base.self_votes).toBe("left_out");
    const named = { ...counting, default_options: { self_votes: "left_out" } };
    expect(sceneOf({}, named).base.self_votes).toBe("left_out");
    expect(sceneOf({}, counting, preset).base.self_votes).toBe("left_out");
    const both = { ...preset, options: { self_votes: "adjusted" } };
    expect(sceneOf({}, counting, both).base.self_votes).toBe("adjusted");
  });

  it("are sent and shown where they differ", () => {
    expect(sent({ self_votes: "counted" }, counting)).toEqual({});
    expect(sent({ self_votes: "adjusted" }, counting)).toEqual({ self_votes: "adjusted" });
    const texts = (own: Partial<Choices>) => chosen(sceneOf(own, config)).map(({ text }) => text);
    expect(texts({ self_votes: "left_out" })).toEqual(["Own votes left out"]);
    expect(texts({ self_votes: "adjusted" })).toEqual([]);
  });

  it("are kept only under names that are known", () => {
    expect(readChoices({ self_votes: "counted" })).toEqual({ self_votes: "counted" });
    expect(readChoices({ self_votes: "doubled" })).toEqual({});
    expect(readChoices({ self_votes: "toString" })).toEqual({});
  });
});

describe("an obstacle", () => {
  it("says where it can be mended, or which option is in the way", () => {
    expect(obstacle("use_escalation", { choices: all, config })?.settings).toBe("escalation");
    expect(obstacle("use_escalation", { choices: all, config: equipped })).toEqual({
      reason: "Routing chooses the members already.",
      settings: null,
    });
  });

  it("of routing does not stand in the way of escalation", () => {
    const tiersOnly = { ...equipped, routing_pools: {} };
    expect(obstacle("use_escalation", { choices: all, config: tiersOnly })).toBeNull();
  });
});

describe("the chips", () => {
  it("show what counts, and how to take it back", () => {
    const choices = { ...all, use_weighted_consensus: false, refinement_max_iterations: 3 };
    expect(chosen(sceneOf(choices, config)).map((entry) => entry.text)).toEqual([
      "Step by step",
      "Unweighted votes",
      "Early consensus",
      "Refinement ×3",
      "Devil’s advocate",
    ]);
    const weights = chosen(sceneOf(choices, config)).find(
      ({ key }) => key === "use_weighted_consensus",
    );
    expect(weights?.off).toEqual({ use_weighted_consensus: true });
  });
});

describe("what was kept", () => {
  it("is read as far as it makes sense", () => {
    const kept = { use_cot: "yes", use_refinement: true, refinement_max_iterations: 99, quorum: 2 };
    expect(readChoices(kept)).toEqual({ use_refinement: true, quorum: 2 });
    for (const junk of [null, 3, "x", []]) expect(readChoices(junk)).toEqual({});
  });
});

describe("what takes a search", () => {
  const searching: Config = { ...config, web_search_available: true, search_provider: "tavily" };
  const fields = ["use_research", "use_web_search", "use_tools", "use_react"] as const;

  it.each(fields)("%s can only be used where there is one, and no setting mends it", (field) => {
    const scene = sceneOf({ [field]: true }, config);
    expect(obstacle(field, scene)).toMatchObject({ settings: null });
    expect(obstacle(field, scene)?.reason).toContain("docs/research.md");
    expect(toAsk(scene)).toEqual({});
    expect(toAsk(sceneOf({ [field]: true }, searching))).toEqual({ [field]: true });
    const debating = { mode: "debate", debate_style: "rotation", [field]: true };
    expect(toAsk(sceneOf(debating, searching))).toMatchObject({ [field]: true });
  });

  it("is on by itself in a format that searches, and can be switched off there", () => {
    const all = { mode: "debate", debate_style: "all_to_all" };
    const scene = sceneOf(all, searching);
    expect(scene.choices).toMatchObject({ use_tools: true, use_react: true });
    expect(toAsk(scene)).toEqual(all);
    expect(toAsk(sceneOf({ ...all, use_react: false }, searching))).toEqual({
      ...all,
      use_react: false,
    });
    const never = { ...searching, default_options: { use_tools: false } };
    expect(sceneOf(all, never).choices).toMatchObject({ use_tools: false, use_react: true });
    expect(sceneOf(all, config).choices).toMatchObject({ use_tools: false, use_react: false });
  });
});
