import { afterEach, describe, expect, it } from "vitest";
import { configIn, type Project, projectOf } from "../../api/projects";
import { keys, queryClient } from "../../api/queries";
import { config } from "../../test/samples";
import type { Choices } from "../feature";
import { sceneOf, toAsk } from "../options/choices";
import { councilOf, hasOwnCouncil } from "./settings-form";

const project = {
  id: "p-1",
  name: "Herons",
  role: "writer",
  instructions: "",
  settings: { council_models: [{ model: "a/one" }, { model: "b/two" }], chairman_model: null },
  options: { use_cot: true },
  members: [],
  created_at: "2026-03-12T09:00:00.000000",
  updated_at: "2026-03-12T09:00:00.000000",
} as unknown as Project;

const here = { ...config, default_options: { use_adversary: true } };
const sent = (own: Partial<Choices>, within: string | null) =>
  toAsk(sceneOf(own, configIn(here, within)));

afterEach(() => queryClient.clear());

describe("a question in a project", () => {
  it("says what differs from what the project asks with, and nothing else", () => {
    queryClient.setQueryData(["project", "p-1"], project);
    expect(sent({}, "p-1")).toEqual({});
    expect(sent({ use_cot: false }, "p-1")).toEqual({ use_cot: false });
    expect(sent({ use_adversary: false }, "p-1")).toEqual({ use_adversary: false });
    expect(sent({ use_cot: true }, null)).toEqual({ use_cot: true });
    const inside = configIn(here, "p-1");
    expect(inside.council_models.map(({ model }) => model)).toEqual(["a/one", "b/two"]);
    expect(inside.chairman_model).toBe(config.chairman_model);
  });

  it("goes by the project before the reader's own, also where that says it otherwise", () => {
    const options = { use_early_consensus: true, count_self_votes: true };
    queryClient.setQueryData(["project", "p-1"], { ...project, options });
    const mine = { ...config, default_options: { final: "select", self_votes: "left_out" } };
    expect(configIn(mine, "p-1").default_options).toEqual({ ...options, self_votes: "counted" });
    queryClient.setQueryData(["project", "p-1"], {
      ...project,
      settings: { count_self_votes: false },
      options: {},
    });
    expect(configIn(config, "p-1").self_votes).toBe("left_out");
    expect(configIn(mine, "p-1").default_options).toEqual(mine.default_options);
  });

  it("is asked with the reader's own settings as long as the project is not known", () => {
    expect(configIn(here, "p-1")).toBe(here);
    expect(projectOf(null)).toBeNull();
    expect(projectOf("c-1")).toBeNull();
    queryClient.setQueryData(keys.conversation("c-1"), { id: "c-1", project_id: "p-1" });
    expect(projectOf("c-1")).toBe("p-1");
  });

  it("is said in a few words what it asks with", () => {
    expect(councilOf(project)).toBe("one, two · 1 option");
    expect(hasOwnCouncil(project)).toBe(true);
    const settings = { council_models: null } as Project["settings"];
    expect(hasOwnCouncil({ settings, options: {} })).toBe(false);
  });
});
