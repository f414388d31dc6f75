/** The ways out of a project. */
import { act } from "react";
import { afterEach, expect, it, vi } from "vitest";
import type { Project } from "../../api/projects";
import { queryClient } from "../../api/queries";
import { button, click, render, settled } from "../../test/render";
import { Toasts } from "../../ui/toast";
import { Ends } from "./ends";

const project = {
  id: "p-1",
  name: "Herons",
  role: "viewer",
  members: [{ is_me: true }],
} as unknown as Project;

afterEach(() => vi.restoreAllMocks());

it("whoever goes on to another page while they leave a project stays there", async () => {
  history.replaceState(null, "", "/p/p-1");
  let release: () => void = () => undefined;
  const held = new Promise<void>((done) => {
    release = done;
  });
  vi.spyOn(globalThis, "fetch").mockImplementation(async (path) => {
    if (path === "/api/user") return Response.json({ id: "ann", is_admin: false });
    if (String(path).endsWith("/leave")) await held;
    return Response.json({ projects: [], total: 0 });
  });
  const page = await render(
    <>
      <Ends project={project} onEnding={vi.fn()} />
      <Toasts />
    </>,
    queryClient,
  );
  await click(button("Leave the project"));
  await settled("Leave this project?");
  await click([...page.querySelectorAll("dialog button")].at(-1));
  await act(async () => history.pushState(null, "", "/c/c-1"));
  release();
  await settled("You have left Herons.");
  expect(location.pathname).toBe("/c/c-1");
});
