import { describe, expect, it } from "vitest";
import type { Config } from "../../api/types";
import { config } from "../../test/samples";
import { draftOf, isChanged, newSeat, type SettingsDraft } from "./form";
import { rebase } from "./rebase";

const before: Config = {
  ...config,
  council_models: [
    { model: "a/one" },
    { model: "b/two", alias: "Basil" },
    { model: "b/two", alias: "Rosemary" },
  ],
  chairman_fallbacks: ["a/one", "b/two"],
  routing_pools: { coding: ["a/one", "b/two"] },
};
const base = draftOf(before);
const names = ({ seats }: SettingsDraft) => seats.map((seat) => seat.alias || seat.model);
const renamed = (at: number, alias: string): SettingsDraft => ({
  ...base,
  seats: base.seats.map((seat, index) => (index === at ? { ...seat, alias } : seat)),
});
const members = (...list: Config["council_models"]): Config => ({
  ...before,
  council_models: list,
});
const [one = newSeat(""), two = newSeat(""), three = newSeat("")] = base.seats;
const [first, second, third] = before.council_models as [
  Config["council_models"][number],
  Config["council_models"][number],
  Config["council_models"][number],
];

describe("a draft above newer settings", () => {
  it("that nobody touched is what they are", () => {
    const newer = { ...before, chairman_model: "z/new", tier1_models: ["a/one", "b/two"] };
    const next = rebase(base, base, newer);
    expect(next.draft).toEqual(next.base);
    expect(next.draft.chairman).toBe("z/new");
  });

  it("keeps its edits, and follows in everything else", () => {
    const mine = { ...renamed(0, "Ada"), titleModel: "z/title", promptInReviews: false };
    const { draft, base: now } = rebase(mine, base, {
      ...members(first, { ...second, system_prompt: "Be brief." }, third),
      chairman_model: "z/new",
      routing_pools: { coding: ["a/one", "b/two"], creative: ["b/two"] },
      default_options: { use_cot: true },
    });
    expect(names(draft)).toEqual(["Ada", "Basil", "Rosemary"]);
    expect(draft.seats[1]?.systemPrompt).toBe("Be brief.");
    expect(draft).toMatchObject({
      titleModel: "z/title",
      promptInReviews: false,
      chairman: "z/new",
      parts: { routing: { creative: ["b/two"] } },
      byDefault: { use_cot: true },
    });
    expect(isChanged(draft, now)).toBe(true);
  });

  it("keeps an edit of a feature's, and follows in what else is set for it", () => {
    const own = { ...base.parts.routing, factual: ["a/one"] };
    const mine = { ...base, parts: { ...base.parts, routing: own } };
    const { draft, base: now } = rebase(mine, base, {
      ...before,
      routing_pools: { coding: ["a/one", "b/two"], creative: ["b/two"] },
      tier1_models: ["a/one", "b/two"],
    });
    expect(draft.parts).toMatchObject({
      routing: { creative: ["b/two"], factual: ["a/one"] },
      escalation: { tier1: ["a/one", "b/two"] },
    });
    expect(isChanged(draft, now)).toBe(true);
  });

  it("keeps the rows of members that moved, came or went elsewhere", () => {
    const { draft } = rebase(renamed(0, "Ada"), base, members({ model: "n/ew" }, third, first));
    expect(names(draft)).toEqual(["n/ew", "Rosemary", "Ada"]);
    expect(draft.seats.slice(1).map(({ key }) => key)).toEqual([three.key, one.key]);
    expect(base.seats.map(({ key }) => key)).not.toContain(draft.seats[0]?.key);
  });

  it("loses no member that was edited here and taken away elsewhere", () => {
    const { draft } = rebase(renamed(0, "Ada"), base, members(second, third));
    expect(names(draft)).toEqual(["Ada", "Basil", "Rosemary"]);
  });

  it("keeps an order of its own, with what is new in each member", () => {
    const mine = { ...base, seats: [two, one] };
    const { draft } = rebase(mine, base, members({ ...first, alias: "Ada" }, second, third));
    expect(names(draft)).toEqual(["Basil", "Ada"]);
  });

  it("is none once both made the same of it", () => {
    const { draft, base: now } = rebase({ ...base, chairman: "z/new" }, base, {
      ...before,
      chairman_model: "z/new",
    });
    expect(isChanged(draft, now)).toBe(false);
  });
});

describe("a draft after its own save", () => {
  it("is what was saved, in the same rows", () => {
    const sent = { ...base, seats: [three, one, { ...newSeat(" n/ew "), alias: "New" }] };
    const saved = members(third, first, { model: "n/ew", alias: "New" });
    const { draft, base: now } = rebase(sent, sent, saved);
    expect(isChanged(draft, now)).toBe(false);
    expect(draft.seats.map(({ key }) => key)).toEqual(sent.seats.map(({ key }) => key));
    expect(draft.fallbacks).toEqual(base.fallbacks);
  });

  it("keeps what was typed since", () => {
    const sent = renamed(0, "Ada");
    const typed = { ...sent, seats: sent.seats.with(1, { ...two, systemPrompt: "Be brief." }) };
    const { draft } = rebase(typed, sent, members({ ...first, alias: "Ada" }, second, third));
    expect(draft.seats[1]).toMatchObject({ key: two.key, systemPrompt: "Be brief." });
    expect(names(draft)).toEqual(["Ada", "Basil", "Rosemary"]);
  });

  it("leaves the space behind which one types on", () => {
    const sent = renamed(0, "Ada ");
    const next = rebase(sent, sent, members({ ...first, alias: "Ada" }, second, third));
    expect(next.draft.seats[0]?.alias).toBe("Ada ");
    expect(isChanged(next.draft, next.base)).toBe(false);
  });
});
