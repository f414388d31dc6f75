import { describe, expect, it } from "vitest";
import { config } from "../../test/samples";
import { changeOf, draftOf, newSeat, type SettingsDraft } from "./form";
import { allProblems, problemsOf } from "./problems";

const seat = (model: string, more: object = {}) => ({ ...newSeat(model), ...more });
const right = draftOf({
  ...config,
  council_models: [{ model: "a/one" }, { model: "b/two" }],
  chairman_model: "a/one",
  title_model: "a/one",
  utility_model: "a/one",
});
const fields = (change: Partial<SettingsDraft>) =>
  problemsOf({ ...right, ...change }, 7).map(({ field }) => field);

describe("what is wrong with a draft", () => {
  it("is nothing while it is right", () => {
    expect(problemsOf(right, 7)).toEqual([]);
  });

  it.each<[string, Partial<SettingsDraft>, string[]]>([
    ["a member alone", { seats: [seat("a/one")] }, ["council_models"]],
    [
      "eight members",
      { seats: Array.from({ length: 8 }, (_, at) => seat(`a/${at}`)) },
      ["council_models"],
    ],
    ["a model twice", { seats: [seat("a/one"), seat("a/one")] }, ["council_models.1"]],
    [
      "a name twice",
      { seats: [seat("a/one", { alias: "x" }), seat("b/two", { alias: " x " })] },
      ["council_models.1"],
    ],
    [
      "an invisible character",
      { seats: [seat("a/one", { alias: "x\u200b" }), seat("b/two")] },
      ["council_models.0.alias"],
    ],
    [
      "a prompt without an end",
      { seats: [seat("a/one", { systemPrompt: "x".repeat(20_001) }), seat("b/two")] },
      ["council_models.0.system_prompt"],
    ],
    [
      "a prompt for every question without an end",
      { promptByDefault: "x".repeat(20_001) },
      ["default_options.system_prompt"],
    ],
    ["no chairman", { chairman: " " }, ["chairman_model"]],
    ["two words for a model", { titleModel: "two words" }, ["title_model"]],
  ])("is found: %s", (_, change, expected) => {
    expect(fields(change)).toEqual(expected);
  });

  it("is found in the features' parts too", () => {
    const parts = { ...right.parts, adversary: { model: "two words" } };
    expect(fields({ parts })).toEqual(["adversary_model"]);
  });

  it("leaves the same model to two named members, and an empty fallback to be typed", () => {
    const twice = [seat("a/one", { alias: "optimist" }), seat("a/one", { alias: "sceptic" })];
    expect(fields({ seats: twice, fallbacks: [{ key: 1, model: "" }] })).toEqual([]);
  });
});

describe("what the server said", () => {
  const sent = { ...changeOf({ ...right, chairman: "gone/model" }) };
  const refused = [{ field: "chairman_model", message: "No such model." }];

  it("stands until that setting is changed", () => {
    expect(allProblems([], refused, sent, sent)).toEqual(refused);
    expect(allProblems([], refused, sent, { ...changeOf(right) })).toEqual([]);
  });

  it("is not said beside the same that is seen here", () => {
    const seen = [{ field: "chairman_model", message: "A model is needed here." }];
    expect(allProblems(seen, refused, sent, sent)).toEqual(seen);
  });
});
