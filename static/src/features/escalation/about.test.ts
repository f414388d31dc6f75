import { expect, it } from "vitest";
import { config } from "../../test/samples";
import { defaults } from "../options/choices";
import { about } from "./about";

it("does not count the models of tiers that are not set", () => {
  const unset = { ...config, tier1_models: [], tier2_models: [] };
  expect(about.tell(defaults, unset).cost).toBe(
    "2 answers and 2 reviews; if unsure, 2 more, all 4 review again, and it takes twice as long.",
  );
});
