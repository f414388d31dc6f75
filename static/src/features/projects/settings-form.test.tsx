import { act } from "react";
import { beforeEach, expect, it, vi } from "vitest";
import type { Project } from "../../api/projects";
import { keys, queryClient } from "../../api/queries";
import type { Preset } from "../../api/types";
import { button, click, render, settled, type } from "../../test/render";

/** The browser's own, which asks the page before it goes anywhere. */
const navigation = vi.hoisted(() => {
  const made = Object.assign(new EventTarget(), { traverseTo: vi.fn() });
  Object.assign(globalThis, { navigation: made });
  return made;
});

const { SettingsForm } = await import("./settings-form");

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

/** What was sent, and what it is refused for. */
let sent: unknown[];
let refuses: object[];

beforeEach(() => {
  queryClient.clear();
  navigation.traverseTo.mockClear();
  history.replaceState(null, "", "/p/p-1");
  sent = [];
  refuses = [];
  queryClient.setQueryData(keys.presets, [] satisfies Preset[]);
  vi.spyOn(globalThis, "fetch").mockImplementation(async (path, init = {}) => {
    if (path === "/api/user") return Response.json({ id: "ann", is_admin: false });
    if (init.method !== "PATCH") return Response.json({ projects: [] });
    const change = JSON.parse(String(init.body));
    sent.push(change);
    if (refuses.length > 0) {
      const headers = { "content-type": "application/problem+json" };
      return Response.json({ status: 422, errors: refuses }, { headers, status: 422 });
    }
    return Response.json({ ...project, ...change, name: change.name.trim() });
  });
});

let page: HTMLElement;
const show = async (shown = project, ending = false) => {
  page = await render(<SettingsForm project={shown} ending={ending} />, queryClient);
};
const instructions = () => page.querySelector("textarea");
const name = () => page.querySelector<HTMLInputElement>("input[type=text]");
const options = () => [...page.querySelectorAll("option")].map(({ textContent }) => textContent);

/** A step of the browser's; whether the page has held it. */
const goes = (navigationType: "push" | "traverse", path: string) =>
  act(async () => {
    const event = new Event("navigate", { cancelable: true });
    const destination = { url: new URL(path, location.origin).href, key: "k-1" };
    navigation.dispatchEvent(Object.assign(event, { navigationType, destination }));
    return event.defaultPrevented;
  });

it("asks before what was typed is left behind, by a link or by going back", async () => {
  await show();
  expect(await goes("traverse", "/")).toBe(false);
  await type(instructions(), "Be long.");
  expect(await goes("push", "/settings")).toBe(true);
  await settled("Leave without saving?");
  await click(button("Keep editing"));
  expect(instructions()?.value).toBe("Be long.");
  expect(await goes("traverse", "/")).toBe(true);
  await click(button("Discard and leave"));
  expect(instructions()?.value).toBe("Be brief.");
  expect(navigation.traverseTo).toHaveBeenCalledExactlyOnceWith("k-1");
  expect(sent).toEqual([]);
});

it("saves and leaves", async () => {
  await show();
  await type(name(), "Grey herons ");
  await goes("push", "/settings");
  await click(button("Save and leave"));
  await vi.waitFor(() => expect(location.pathname).toBe("/settings"));
  expect(sent).toEqual([{ name: "Grey herons", instructions: "Be brief." }]);
  // As it was saved, which is no edit any more.
  await show({ ...project, name: "Grey herons" });
  expect(name()?.value).toBe("Grey herons");
  expect(await goes("push", "/")).toBe(false);
});

it("does not ask where the project itself is left or ends", async () => {
  await show();
  await type(instructions(), "Be long.");
  await show(project, true);
  expect(await goes("push", "/")).toBe(false);
});

it("keeps what was typed where another owner has changed something else", async () => {
  await show();
  await type(instructions(), "Be long.");
  await show({ ...project, name: "Egrets", instructions: "Be kind." });
  expect([name()?.value, instructions()?.value]).toEqual(["Egrets", "Be long."]);
});

it("leads to what is refused", async () => {
  await show();
  refuses = [{ field: "name", type: "value", message: "is taken" }];
  await click(button("Save"));
  await settled("is taken");
  expect(document.activeElement).toBe(name());
});

it("offers everybody's own council once", async () => {
  await show();
  expect(options()).toEqual(["Everybody’s own council"]);
  await show({ ...project, options: { use_cot: true } } as Project);
  expect(options()).toEqual(["As it is: 1 option", "Everybody’s own council"]);
});
