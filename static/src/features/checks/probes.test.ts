import { expect, it } from "vitest";
import { adviceSentences } from "./probes";

it("advises a limit that covers what is needed", () => {
  const advised = (needed_usd: number) =>
    adviceSentences.raise_max_cost({ code: "raise_max_cost", needed_usd });
  expect(advised(0.000_13)).toBe("Allow $0.0002 to have everything asked.");
  expect(advised(0.1234)).toBe("Allow $0.13 to have everything asked.");
});
