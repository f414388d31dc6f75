import { beforeEach, expect, it } from "vitest";
import type { Project } from "../api/projects";
import { keys, queryClient } from "../api/queries";
import { render, type } from "../test/render";
import { Says } from "./project";

const project = {
  id: "p-1",
  name: "Herons",
  role: "owner",
  instructions: "Be brief.",
  settings: {},
  options: {},
  members: [],
  created_at: "2026-03-12T09:00:00.000000",
  updated_at: "2026-03-12T09:00:00.000000",
} as unknown as Project;

beforeEach(() => {
  queryClient.clear();
  queryClient.setQueryData(keys.presets, []);
});

it("what an owner has typed stays where they own the project no longer, until they let it go", async () => {
  const show = (shown: Project) => render(<Says project={shown} ending={false} />, queryClient);
  const page = await show(project);
  await type(page.querySelector("textarea"), "Be long.");
  await show({ ...project, role: "writer" });
  expect(page.querySelector("textarea")?.value).toBe("Be long.");
  await type(page.querySelector("textarea"), "Be brief.");
  expect(page.querySelector("textarea")).toBeNull();
  expect(page.querySelector(".project-instructions")?.textContent).toBe("Be brief.");
});
