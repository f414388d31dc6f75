import { expect, it } from "vitest";
import { config } from "../../test/samples";
import { problemsIn } from "../../test/settings";
import { settings } from "./settings";

const judy = { model: "j/two", alias: "Judy", system_prompt: "Be strict." };
const draft = settings.draftOf({ ...config, reviewer_models: [{ model: "j/one" }, judy] });

it("keeps what it does not show of a reviewer", () => {
  expect(settings.changeOf(draft)).toEqual({ reviewer_models: [{ model: "j/one" }, judy] });
  const moved = { ...draft, models: ["j/two", "j/new"] };
  expect(settings.changeOf(moved)).toEqual({ reviewer_models: [judy, { model: "j/new" }] });
  expect(settings.changeOf({ ...draft, models: [] })).toEqual({ reviewer_models: [] });
});

it("has one reviewer at least, or none", () => {
  expect(problemsIn(settings, { ...draft, models: ["j/one"] })).toEqual([]);
  const many = Array.from({ length: 8 }, (_, at) => `j/${at}`);
  const problems = problemsIn(settings, { ...draft, models: many });
  expect(problems.map(({ field }) => field)).toEqual(["reviewer_models"]);
});
