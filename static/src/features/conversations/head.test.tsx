import { act } from "react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { api } from "../../api/client";
import { Problem } from "../../api/problem";
import { queryClient } from "../../api/queries";
import { button, click, render, settled, type } from "../../test/render";
import { Toasts } from "../../ui/toast";
import { newConversation } from "../asking/conversation";
import { Head } from "./head";

const conversation = { ...newConversation("c-1"), title: "Tides", message_count: 2 };
let asked: [string, unknown][];

beforeEach(() => {
  queryClient.clear();
  asked = [];
  vi.spyOn(globalThis, "fetch").mockImplementation(async (path, init = {}) => {
    const { pathname } = new URL(String(path), location.origin);
    if (pathname === "/api/user") return Response.json({ id: "ada", is_admin: false });
    if (pathname === "/api/folders") {
      return Response.json({ folders: [{ id: "f-1", name: "Sea", conversations: 0 }] });
    }
    if (typeof init.body === "string") {
      asked.push([`${init.method} ${pathname}`, JSON.parse(init.body)]);
    }
    return Response.json({ status: "ok" });
  });
});
afterEach(() => vi.restoreAllMocks());

const items = () => [...document.querySelectorAll("[role=menuitem]")];
const choose = (name: string) => click(items().find((one) => one.textContent === name));

async function show(isNarrow: boolean, text: string) {
  const found = { matches: isNarrow, addEventListener() {}, removeEventListener() {} };
  vi.stubGlobal("matchMedia", () => found);
  const page = await render(
    <>
      <Head conversation={{ ...conversation, title_is_default: false }} title="Tides" />
      <Toasts />
    </>,
    queryClient,
  );
  await click(button(text));
  await settled("Rename");
  return page;
}

const ofList = ["Rename", "Pin", "Move to folder…", "Move to project…"];

it("has beside its buttons what the list has for each conversation", async () => {
  await show(false, "More actions");
  expect(items().map((one) => one.textContent)).toEqual([...ofList, "Archive", "Delete"]);
  await choose("Pin");
  await settled("“Tides” was pinned.");
  expect(asked).toEqual([["PATCH /api/conversations/c-1", { pinned: true }]]);
});

it("has all of it in one menu where there is no room", async () => {
  const page = await show(true, "More for this conversation");
  const names = items().map((one) => one.textContent);
  expect(names.slice(0, 6)).toEqual(["Add a tag", ...ofList, "Share…"]);
  expect(names.slice(-3)).toEqual(["Print or PDF", "Archive", "Delete"]);
  await choose("Move to folder…");
  await settled("No folder");
  expect(page.querySelector("dialog")).not.toBeNull();
});

it("is renamed in its place, and the keys go on from the menu", async () => {
  const page = await show(false, "More actions");
  await choose("Rename");
  const box = page.querySelector<HTMLInputElement>("input.rename");
  expect(document.activeElement).toBe(box);
  expect(box?.value).toBe("Tides");
  await type(box, "Tides and moons");
  await act(async () => {
    box?.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
  });
  await vi.waitFor(async () => {
    await act(() => new Promise(requestAnimationFrame));
    expect(document.activeElement).toBe(button("More actions"));
  });
  expect(asked).toEqual([["PATCH /api/conversations/c-1", { title: "Tides and moons" }]]);
  expect(page.querySelector("h1")?.className).toBe("");
});

it("a title that was not saved is still in the box, to be saved again", async () => {
  const page = await show(false, "More actions");
  await choose("Rename");
  const box = () => page.querySelector<HTMLInputElement>("input.rename");
  const enter = () =>
    act(async () => {
      box()?.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
    });
  vi.spyOn(api, "rename").mockRejectedValueOnce(new TypeError("Failed to fetch"));
  await type(box(), "Tides and moons");
  await enter();
  await settled("Not renamed");
  expect(box()?.value).toBe("Tides and moons");
  await enter();
  await vi.waitFor(async () => {
    await act(() => new Promise(requestAnimationFrame));
    expect(box()).toBeNull();
  });
  expect(asked).toEqual([["PATCH /api/conversations/c-1", { title: "Tides and moons" }]]);
});

const refusalOf = (field: string) =>
  new Problem("refused", `${field}: must be otherwise`, 422, [
    { field, message: "must be otherwise" },
  ]);

it("a title that has what nobody sees is refused in the reader's words", async () => {
  const page = await show(false, "More actions");
  await choose("Rename");
  const box = page.querySelector<HTMLInputElement>("input.rename");
  vi.spyOn(api, "rename").mockRejectedValueOnce(refusalOf("title"));
  await type(box, "Ti\u00addes");
  await act(async () => {
    box?.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
  });
  await settled("Not renamed: At most 200 characters, none of them invisible.");
});

it.each([
  ["tags.0", "At most 40 characters, none of them invisible."],
  ["tags", "A conversation can have 20 tags at most."],
])("so is a tag, for %s", async (field, words) => {
  vi.spyOn(api, "setTags").mockRejectedValueOnce(refusalOf(field));
  const page = await show(true, "More for this conversation");
  await choose("Add a tag");
  const box = page.querySelector<HTMLInputElement>("input.rename");
  expect(box?.maxLength).toBe(40);
  await type(box, "sea");
  await act(async () => {
    box?.dispatchEvent(
      new KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true }),
    );
  });
  await settled(`The tags were not changed: ${words}`);
});

it("a tag that was not saved is still in the box, to be saved again", async () => {
  const page = await show(true, "More for this conversation");
  await choose("Add a tag");
  const box = () => page.querySelector<HTMLInputElement>("input.rename");
  const enter = () =>
    act(async () => {
      box()?.dispatchEvent(
        new KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true }),
      );
    });
  vi.spyOn(api, "setTags").mockRejectedValueOnce(new TypeError("Failed to fetch"));
  await type(box(), "sea");
  await enter();
  await settled("The tags were not changed");
  await vi.waitFor(async () => {
    await act(() => new Promise(requestAnimationFrame));
    expect(box()?.value).toBe("sea");
  });
  expect(document.activeElement).toBe(box());
  await enter();
  await vi.waitFor(async () => {
    await act(() => new Promise(requestAnimationFrame));
    expect(asked).toEqual([["PUT /api/conversations/c-1/tags", { tags: ["sea"] }]]);
  });
  expect(box()).toBeNull();
});

it("a candidate that is taken by Enter does not end the renaming", async () => {
  const page = await show(false, "More actions");
  await choose("Rename");
  const box = () => page.querySelector<HTMLInputElement>("input.rename");
  const press = (init: KeyboardEventInit) =>
    act(async () => {
      box()?.dispatchEvent(new KeyboardEvent("keydown", { bubbles: true, ...init }));
    });
  await type(box(), "潮");
  // As Safari says it: by then it composes no longer.
  await press({ key: "Enter", keyCode: 229 });
  expect(box()?.value).toBe("潮");
  await press({ key: "Escape" });
  expect(box()).toBeNull();
  expect(asked).toEqual([]);
});
