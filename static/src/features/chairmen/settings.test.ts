import { expect, it } from "vitest";
import { problemsIn } from "../../test/settings";
import { settings } from "./settings";

it.each([
  [[], []],
  [["a/one"], ["multi_chairman_models"]],
  [["a/one", "b/two"], []],
])("so many models draft: %j", (models, expected) => {
  expect(problemsIn(settings, { models }).map(({ field }) => field)).toEqual(expected);
});
