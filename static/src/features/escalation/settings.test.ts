import { describe, expect, it } from "vitest";
import { config } from "../../test/samples";
import { problemsIn } from "../../test/settings";
import { settings } from "./settings";

const right = settings.draftOf(config);

describe("what is wrong with the tiers", () => {
  it("is nothing where there are none", () => {
    expect(problemsIn(settings, right)).toEqual([]);
  });

  it.each<[string, Partial<typeof right>, string[]]>([
    ["a model in both tiers", { tier1: ["a/one", "b/two"], tier2: ["a/one"] }, ["tier2_models"]],
    [
      "tiers of eight",
      { tier1: ["1", "2", "3", "4"], tier2: ["5", "6", "7", "8"] },
      ["tier2_models"],
    ],
    [
      "thresholds out of range",
      { belowAverage: "0.5", belowAny: "4.5", belowAgreement: "half" },
      [
        "escalation_confidence_threshold",
        "escalation_min_confidence_threshold",
        "escalation_agreement_threshold",
      ],
    ],
  ])("is found: %s", (_, change, expected) => {
    const found = problemsIn(settings, { ...right, ...change });
    expect(found.map(({ field }) => field)).toEqual(expected);
  });

  it("says that a number is not clear", () => {
    const found = problemsIn(settings, { ...right, belowAverage: "6.125" });
    expect(found.map(({ message }) => message)).toEqual([expect.stringMatching(/not clear/)]);
  });
});
