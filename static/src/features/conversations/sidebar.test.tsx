import { act } from "react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { queryClient } from "../../api/queries";
import { button, click, render, settled, type } from "../../test/render";
import { Sidebar } from "./sidebar";

beforeEach(() => {
  queryClient.clear();
  vi.spyOn(globalThis, "fetch").mockImplementation(async (path) => {
    const { pathname } = new URL(String(path), location.origin);
    if (pathname === "/api/user") return Response.json({ id: "ann", is_admin: false });
    if (pathname === "/api/folders") return Response.json({ folders: [] });
    if (pathname === "/api/projects") return Response.json({ projects: [] });
    if (pathname === "/api/tags") return Response.json({ tags: [], suggestions: [] });
    if (pathname === "/api/config") return Response.json({ features: {} });
    return Response.json([], { headers: { "x-total-count": "0" } });
  });
});
afterEach(() => vi.restoreAllMocks());

it("the way to what is archived and the way back hand on the focus", async () => {
  const page = await render(<Sidebar onOpen={() => undefined} />, queryClient);
  await settled("Archived");
  const way = () => page.querySelector<HTMLElement>(".sidebar-places button");
  const back = () => page.querySelector<HTMLElement>(".archived-head button");
  way()?.focus();
  await click(way());
  await vi.waitFor(() => {
    expect(back()).not.toBeNull();
    expect(document.activeElement).toBe(back());
  });
  await click(back());
  await vi.waitFor(() => expect(document.activeElement).toBe(way()));
  expect(back()).toBeNull();
  expect(button("Archived")).toBe(way());
});

async function search() {
  const page = await render(<Sidebar onOpen={() => undefined} />, queryClient);
  const box = page.querySelector<HTMLInputElement>(".search-all input");
  box?.focus();
  return box;
}

async function press(box: Element | null, init: KeyboardEventInit) {
  const event = new KeyboardEvent("keydown", { bubbles: true, cancelable: true, ...init });
  await act(async () => box?.dispatchEvent(event));
  return event;
}

it("Escape empties the search, and the drawer around it hears of the next one alone", async () => {
  const box = await search();
  const around = vi.fn();
  document.addEventListener("keydown", around);
  await type(box, "tides");
  await press(box, { key: "Escape" });
  expect([box?.value, around.mock.calls.length]).toEqual(["", 0]);
  await press(box, { key: "Escape" });
  expect(around).toHaveBeenCalledOnce();
  document.removeEventListener("keydown", around);
});

it.each(["ArrowDown", "Escape"])("%s is the input method's while it composes", async (key) => {
  const box = await search();
  await type(box, "しお");
  const event = await press(box, { key, isComposing: true });
  expect([event.defaultPrevented, box?.value]).toEqual([false, "しお"]);
});
