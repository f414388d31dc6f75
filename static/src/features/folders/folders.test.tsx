import { act } from "react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { queryClient } from "../../api/queries";
import type { ConversationSummary } from "../../api/types";
import { button, click, render, settled, type } from "../../test/render";
import { kept } from "../../ui/kept";
import { Toasts } from "../../ui/toast";
import { ConversationList } from "../conversations/list";
import { openFolder, useOpenFolders } from "./open";

const at = "2026-03-20T09:00:00.000000";

const conversation = (id: string, folder_id?: string, pinned = false): ConversationSummary => ({
  id,
  title: `About ${id}`,
  title_is_default: false,
  tags: [],
  archived: false,
  pinned,
  created_at: at,
  updated_at: at,
  asked_at: at,
  message_count: 2,
  running: false,
  ...(folder_id && { folder_id }),
});

/** What the server has, and what it was asked to change. */
let stored: ConversationSummary[];
let folders: { id: string; name: string }[];
let changes: string[];
let refuses: (request: string) => string | null;

function answer(url: URL, method: string, body: Record<string, unknown>): Response {
  const request = `${method} ${url.pathname}`;
  if (url.pathname === "/api/user") return Response.json({ id: "ada", is_admin: false });
  if (method !== "GET") changes.push(`${request} ${JSON.stringify(body)}`);
  const detail = refuses(request);
  if (detail !== null) {
    const errors = [{ field: "name", type: "value", message: detail }];
    const headers = { "content-type": "application/problem+json" };
    return Response.json(
      { title: "Refused", status: 422, detail, errors: method === "POST" ? errors : [] },
      { headers, status: 422 },
    );
  }
  const [, id = ""] = url.pathname.match(/([^/]+)$/) ?? [];
  if (url.pathname.startsWith("/api/folders")) {
    if (method === "GET") {
      const all = folders.map((folder) => ({
        ...folder,
        created_at: at,
        conversation_count: stored.filter(({ folder_id }) => folder_id === folder.id).length,
      }));
      return Response.json({ folders: all });
    }
    if (method === "DELETE") {
      folders = folders.filter((folder) => folder.id !== id);
      stored = stored.map(({ folder_id, ...one }) =>
        folder_id && folder_id !== id ? { ...one, folder_id } : one,
      );
      return Response.json({ status: "ok", id });
    }
    const name = String(body.name);
    if (method === "POST") folders = [...folders, { id: name.toLowerCase(), name }];
    else folders = folders.map((folder) => (folder.id === id ? { id, name } : folder));
    return Response.json({ id: name.toLowerCase(), name, conversation_count: 0, created_at: at });
  }
  if (method === "PATCH") {
    const { folder_id: to } = body;
    stored = stored.map((one) => {
      if (one.id !== id) return one;
      const { folder_id: _, ...rest } = one;
      return typeof to === "string" ? { ...rest, folder_id: to } : rest;
    });
    return Response.json({ status: "ok" });
  }
  const query = url.searchParams;
  const folder = query.get("folder_id");
  const found = stored.filter(
    (one) =>
      (one.pinned || query.get("pinned") !== "true") &&
      (folder === null || (one.folder_id ?? "none") === folder),
  );
  return Response.json(found, { headers: { "x-total-count": String(found.length) } });
}

beforeEach(() => {
  queryClient.clear();
  kept.write("folders", null);
  useOpenFolders.setState({ ids: [] });
  stored = [
    conversation("ants"),
    conversation("crows", "birds"),
    conversation("ducks", "birds", true),
    conversation("eels"),
  ];
  folders = [
    { id: "birds", name: "Birds" },
    { id: "rivers", name: "Rivers" },
  ];
  changes = [];
  refuses = () => null;
  vi.useFakeTimers({ now: new Date("2026-03-20T12:00:00Z"), toFake: ["Date"] });
  vi.spyOn(globalThis, "fetch").mockImplementation(async (path, init = {}) => {
    const body = typeof init.body === "string" ? JSON.parse(init.body) : {};
    return answer(new URL(String(path), location.origin), init.method ?? "GET", body);
  });
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

let page: HTMLElement;
async function draw() {
  const view = (
    <>
      <ConversationList tag={null} archived={false} onOpen={() => undefined} />
      <Toasts />
    </>
  );
  page = await render(view, queryClient);
  await settled("About");
}

const textsIn = (place: Element | null, what: string) =>
  [...(place?.querySelectorAll(what) ?? [])].map((one) => one.textContent);
/** Each folder with its number and what is seen in it. */
const shown = () =>
  [...page.querySelectorAll(".folder")].map((folder) => [
    folder.querySelector(".folder-toggle > .entry-title")?.textContent,
    folder.querySelector(".folder-count > span")?.textContent,
    ...textsIn(folder, "ul .entry-title"),
  ]);
const part = (name: string) =>
  textsIn(page.querySelector(`section[aria-label="${name}"]`), ".entry-title");
const toggle = (name: string) =>
  [...page.querySelectorAll<HTMLElement>(".folder-toggle")].find(
    (one) => one.querySelector(".entry-title")?.textContent === name,
  );
const soon = (look: () => void) =>
  vi.waitFor(async () => {
    await act(async () => undefined);
    look();
  });
async function choose(menu: string, action: string) {
  await click(button(menu));
  await settled("Rename");
  await click(
    [...page.querySelectorAll("[role=menuitem]")].find((one) => one.textContent === action),
  );
}
const choice = (name: string) =>
  [...page.querySelectorAll("label")]
    .find((one) => one.textContent === name)
    ?.querySelector<HTMLElement>("input");

describe("folders", () => {
  it("stand between the pinned ones and the days, closed at first, and are kept open", async () => {
    await draw();
    expect(shown()).toEqual([
      ["Birds", "2"],
      ["Rivers", "0"],
    ]);
    expect(part("Pinned")).toEqual(["About ducks"]);
    expect(part("Today")).toEqual(["About ants", "About eels"]);
    await click(toggle("Birds"));
    await soon(() => expect(shown()[0]).toEqual(["Birds", "2", "About crows", "About ducks"]));
    await click(toggle("Rivers"));
    await settled("Nothing is in this folder.");
    expect(kept.read("folders")).toBe("birds rivers");
    await click(toggle("Birds"));
    expect(kept.read("folders")).toBe("rivers");
    expect(shown()[0]).toEqual(["Birds", "2"]);
  });

  it("that were open are there with the list", async () => {
    openFolder("birds", true);
    await draw();
    expect(shown()[0]).toEqual(["Birds", "2", "About crows", "About ducks"]);
  });

  it("have what is pinned as well, which is chosen once", async () => {
    openFolder("birds", true);
    await draw();
    expect(part("Pinned")).toEqual(["About ducks"]);
    await click(button("Select"));
    await settled("Select all that are shown");
    expect(shown()[0]).toEqual(["Birds", "2", "About crows"]);
    await click(button("Select all that are shown"));
    await settled("4 selected");
    expect(page.querySelectorAll("input:checked")).toHaveLength(4);
  });

  it("are no part of a list that is empty", async () => {
    [folders, stored] = [[], []];
    page = await render(
      <ConversationList tag={null} archived={false} onOpen={() => undefined} />,
      queryClient,
    );
    await settled("Your conversations will be listed here.");
    expect(page.querySelector('section[aria-label="Folders"]')).toBeNull();
  });

  it("are begun at their head where there are none, and the new one has the focus", async () => {
    folders = [];
    stored = [conversation("ants")];
    await draw();
    button("New folder")?.focus();
    await click(button("New folder"));
    await settled("Folders organise your list.");
    await type(page.querySelector<HTMLInputElement>("dialog input[type=text]"), "Insects");
    await click(button("Create folder"));
    await soon(() => expect(shown()).toEqual([["Insects", "0"]]));
    expect(page.querySelector("dialog")).toBeNull();
    expect(document.activeElement).toBe(toggle("Insects"));
    expect(page.querySelectorAll("[aria-label='New folder']")).toHaveLength(1);
  });

  it("are not begun from a list of the archived", async () => {
    folders = [];
    await render(
      <ConversationList tag={null} archived={true} onOpen={() => undefined} />,
      queryClient,
    );
    await settled("About ants");
    expect(button("New folder")).toBeUndefined();
  });

  it("that cannot be read are missed, and read again", async () => {
    refuses = (request) => (request === "GET /api/folders" ? "Not now." : null);
    await draw();
    await settled("Folders could not be loaded: Not now.");
    refuses = () => null;
    await click(button("Try again"));
    await soon(() => expect(shown().length).toBe(2));
  });

  it("are named anew", async () => {
    await draw();
    await choose("More for the folder Birds", "Rename");
    await settled("Rename folder");
    await type(page.querySelector<HTMLInputElement>("input[type=text]"), "Water birds");
    await click(button("Rename"));
    await soon(() => expect(shown()[0]?.[0]).toBe("Water birds"));
    expect(changes).toEqual(['PATCH /api/folders/birds {"name":"Water birds"}']);
    expect(page.querySelector("dialog")).toBeNull();
  });

  it("are made, open, unless the name is taken", async () => {
    await draw();
    refuses = (request) => (request.startsWith("POST") ? "is taken" : null);
    await click(button("New folder"));
    await settled("Create folder");
    await type(page.querySelector<HTMLInputElement>("input[type=text]"), "Rivers");
    await click(button("Create folder"));
    await settled("You already have a folder with this name.");
    // As it is copied from a page that may part it there.
    await type(page.querySelector<HTMLInputElement>("input[type=text]"), "Sea\u00adside");
    await click(button("Create folder"));
    await settled("At most 60 characters, none of them invisible.");
    expect(page.textContent).not.toContain("You already have");
    refuses = () => null;
    await type(page.querySelector<HTMLInputElement>("input[type=text]"), "Seas");
    await click(button("Create folder"));
    await soon(() => expect(shown().map(([name]) => name)).toEqual(["Birds", "Rivers", "Seas"]));
    expect(toggle("Seas")?.getAttribute("aria-expanded")).toBe("true");
  });

  it("leave their conversations where they are deleted", async () => {
    await draw();
    await choose("More for the folder Birds", "Delete folder…");
    await settled("The conversations in it stay, in no folder.");
    await click(button("Delete folder"));
    await soon(() => expect(part("Today")).toContain("About crows"));
    expect(shown().map(([name]) => name)).toEqual(["Rivers"]);
  });
});

describe("a conversation", () => {
  it("is put into a folder by its menu, with the focus, and back by one press", async () => {
    await draw();
    await choose("More for About ants", "Move to folder…");
    await settled("Move to folder");
    expect(choice("No folder")).toHaveProperty("checked", true);
    await click(choice("Birds"));
    await click(button("Move"));
    await settled("Moved 1 conversation to the folder Birds.");
    expect(shown()[0]).toEqual(["Birds", "3"]);
    expect(document.activeElement).toBe(toggle("Birds"));
    await click(button("Undo"));
    await soon(() => expect(part("Today")).toContain("About ants"));
    expect(changes).toEqual([
      'PATCH /api/conversations/ants {"folder_id":"birds"}',
      'PATCH /api/conversations/ants {"folder_id":null}',
    ]);
  });

  it("is put into a new one, also where there is none yet", async () => {
    folders = [];
    stored = [conversation("ants")];
    await draw();
    await choose("More for About ants", "Move to folder…");
    await settled("Name of the new folder");
    await type(page.querySelector<HTMLInputElement>("dialog input[type=text]"), "Insects");
    await click(button("Move"));
    await settled("Moved 1 conversation to the folder Insects.");
    expect(shown()).toEqual([["Insects", "1"]]);
    expect(document.activeElement).toBe(toggle("Insects"));
  });

  it("that is refused stays, and the dialog says why", async () => {
    refuses = (request) => (request.startsWith("PATCH") ? "It is gone." : null);
    await draw();
    await choose("More for About ants", "Move to folder…");
    await settled("Move to folder");
    await click(choice("Rivers"));
    await click(button("Move"));
    await settled("“About ants”: It is gone.");
    expect(part("Today")).toContain("About ants");
    expect(page.querySelector("dialog")).not.toBeNull();
  });
});

describe("dragging", () => {
  /** What the browser tells the page of a drag. */
  const drag = (type: string, place: Element | null | undefined) =>
    act(async () => {
      const event = new Event(type, { bubbles: true, cancelable: true });
      const dataTransfer = { setDragImage: () => undefined, effectAllowed: "", dropEffect: "none" };
      Object.assign(event, { dataTransfer, clientX: 0, clientY: 0 });
      place?.dispatchEvent(event);
      return event.defaultPrevented;
    });
  const entry = (title: string) =>
    [...page.querySelectorAll(".entry > a")].find((one) => one.textContent === title);
  const folder = (name: string) => toggle(name)?.closest(".folder");

  it("onto a folder puts a conversation there, and out of it again", async () => {
    await draw();
    await drag("dragstart", entry("About ants"));
    expect(await drag("dragover", toggle("Birds"))).toBe(true);
    expect(folder("Birds")?.className).toContain("drop-here");
    await drag("drop", toggle("Birds"));
    await drag("dragend", entry("About ants"));
    await settled("Moved 1 conversation to the folder Birds.");
    expect(shown()[0]).toEqual(["Birds", "3"]);
    expect(folder("Birds")?.className).toBe("folder");

    await click(toggle("Birds"));
    await soon(() => expect(entry("About ants")?.closest(".folder")).toBe(folder("Birds")));
    await drag("dragstart", entry("About ants"));
    expect(await drag("dragover", toggle("Birds"))).toBe(false);
    expect(await drag("dragover", entry("About eels"))).toBe(true);
    await drag("drop", entry("About eels"));
    await settled("1 conversation is in no folder any more.");
    expect(part("Today")).toContain("About ants");
  });

  it("is for conversations: what comes from elsewhere is let through", async () => {
    await draw();
    expect(await drag("dragover", toggle("Birds"))).toBe(false);
    expect(await drag("drop", toggle("Birds"))).toBe(false);
    expect(changes).toEqual([]);
  });

  it("that is refused is told of", async () => {
    refuses = (request) => (request.startsWith("PATCH") ? "It is gone." : null);
    await draw();
    await drag("dragstart", entry("About ants"));
    await drag("drop", toggle("Birds"));
    await settled("“About ants”: It is gone.");
    expect(part("Today")).toContain("About ants");
  });
});
