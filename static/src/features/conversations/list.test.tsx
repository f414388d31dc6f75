import { act } from "react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { queryClient, refreshConversations } from "../../api/queries";
import type { ConversationSummary } from "../../api/types";
import { button, click, render, settled } from "../../test/render";
import { Toasts } from "../../ui/toast";
import { ConversationList } from "./list";

const day = (at: number) => `2026-03-${String(at).padStart(2, "0")}T09:00:00.000000`;

const conversation = (id: string, at: number, pinned = false): ConversationSummary => ({
  id,
  title: `About ${id}`,
  title_is_default: false,
  tags: [],
  archived: false,
  pinned,
  created_at: day(at),
  updated_at: day(at),
  asked_at: day(at),
  message_count: 2,
  running: false,
});

/** What the server has, the newest first, and what it was asked for. */
let stored: ConversationSummary[];
let asked: string[];
let refuses: (method: string, query: URLSearchParams) => boolean;
/** How many of a list come at once. */
let atOnce: number;
/** Changes wait for it. */
let held: Promise<void>;

function answer(url: URL, method: string, body: Partial<ConversationSummary>): Response {
  if (url.pathname === "/api/user") return Response.json({ id: "ada", is_admin: false });
  if (url.pathname === "/api/folders") return Response.json({ folders: [] });
  if (url.pathname === "/api/projects") return Response.json({ projects: [], total: 0 });
  if (url.pathname === "/api/shares") {
    return Response.json({ shares: [], total: 0, max_days: 365 });
  }
  const query = url.searchParams;
  const what = method === "GET" ? query.toString() : `${url.pathname} ${JSON.stringify(body)}`;
  asked.push(`${method} ${what}`);
  if (refuses(method, query)) {
    const headers = { "content-type": "application/problem+json" };
    return Response.json(
      { title: "Conflict", status: 409, detail: "Not now." },
      { headers, status: 409 },
    );
  }
  if (method === "POST") {
    const days = { created_at: day(20), expires_at: day(27) };
    return Response.json({
      id: "s-1",
      conversation_id: "bees",
      title: "",
      path: "/s/s-1",
      ...days,
    });
  }
  if (method === "PATCH") {
    const [, id] = url.pathname.match(/([^/]+)$/) ?? [];
    const unpinned = body.archived === true ? { pinned: false } : {};
    stored = stored.map((one) => (one.id === id ? { ...one, ...unpinned, ...body } : one));
    return Response.json({ status: "ok" });
  }
  const is = (name: string) => query.get(name) === "true";
  const found = stored.filter(
    (one) => one.archived === is("archived") && (one.pinned || !is("pinned")),
  );
  if (query.get("order") === "asked") {
    found.sort((one, other) => (one.asked_at < other.asked_at ? 1 : -1));
  }
  const offset = Number(query.get("offset"));
  return Response.json(found.slice(offset, offset + atOnce), {
    headers: { "x-total-count": String(found.length) },
  });
}

beforeEach(() => {
  queryClient.clear();
  stored = [
    conversation("ants", 20),
    conversation("bees", 18),
    conversation("crows", 12, true),
    conversation("ducks", 4, true),
  ];
  asked = [];
  atOnce = 50;
  held = Promise.resolve();
  refuses = () => false;
  vi.useFakeTimers({ now: new Date("2026-03-20T12:00:00Z"), toFake: ["Date"] });
  vi.spyOn(globalThis, "fetch").mockImplementation(async (path, init = {}) => {
    const body = typeof init.body === "string" ? JSON.parse(init.body) : {};
    if (init.method === "PATCH") await held;
    return answer(new URL(String(path), location.origin), init.method ?? "GET", body);
  });
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

let page: HTMLElement;
async function draw(tag: string | null = null, archived = false) {
  const view = (
    <>
      <ConversationList tag={tag} archived={archived} onOpen={() => undefined} />
      <Toasts />
    </>
  );
  page = await render(view, queryClient);
  await settled("About");
}

/** The parts of the list with conversations, each with what is in it. */
const parts = () =>
  [...page.querySelectorAll("section:has(ul)")].map((part) => [
    part.querySelector("h2")?.textContent,
    ...[...part.querySelectorAll(".entry-title")].map((title) => title.textContent),
  ]);
const inPinned = () =>
  parts()
    .find(([name]) => name === "Pinned")
    ?.slice(1) ?? [];
const said = () => page.querySelector("p[role=status]")?.textContent;
const focused = () => document.activeElement?.getAttribute("aria-label");
const soon = (look: () => void) =>
  vi.waitFor(async () => {
    await act(async () => undefined);
    look();
  });

async function openMenu(title: string) {
  await click(button(`More for ${title}`));
  await settled("Rename");
}
async function choose(title: string, action: string) {
  await openMenu(title);
  await click(
    [...page.querySelectorAll("[role=menuitem]")].find((one) => one.textContent === action),
  );
}

it("whoever comes back the next day finds what was asked today under yesterday", async () => {
  await draw();
  expect(parts()[1]?.[0]).toBe("Today");
  vi.setSystemTime(new Date("2026-03-21T12:00:00Z"));
  await act(async () => dispatchEvent(new Event("focus")));
  expect(parts()[1]?.[0]).toBe("Yesterday");
});

it("goes by when something was asked last, in its days and in its order", async () => {
  stored = stored.map((one) => ({
    ...one,
    pinned: false,
    // Renamed or tagged since, which moves nothing.
    updated_at: day(20),
    asked_at: one.id === "ducks" ? "2026-03-20T11:00:00.000000" : one.asked_at,
  }));
  await draw();
  expect(parts()).toEqual([
    ["Today", "About ducks", "About ants"],
    ["Previous 7 days", "About bees"],
    ["March 2026", "About crows"],
  ]);
});

describe("pinned conversations", () => {
  it("stand above the days, and there only", async () => {
    await draw();
    expect(parts()).toEqual([
      ["Pinned", "About crows", "About ducks"],
      ["Today", "About ants"],
      ["Previous 7 days", "About bees"],
    ]);
  });

  it("have no part where there are none", async () => {
    stored = stored.map((one) => ({ ...one, pinned: false }));
    await draw();
    expect(parts().map(([name]) => name)).toEqual(["Today", "Previous 7 days", "March 2026"]);
  });

  it.each([
    ["a tag is chosen", "work", false, "limit=50&offset=0&order=asked&tag=work"],
    ["the archived are shown", null, true, "limit=50&offset=0&order=asked&archived=true"],
  ])("have no part, and are not asked for, where %s", async (_, tag, archived, query) => {
    stored = stored.map((one) => ({ ...one, archived }));
    await draw(tag, archived);
    expect(inPinned()).toEqual([]);
    expect(page.querySelectorAll(".entry").length).toBe(4);
    expect(asked).toEqual([`GET ${query}`]);
  });

  it("stand among the others where they cannot be read", async () => {
    refuses = (_, query) => query.has("pinned");
    await draw();
    expect(inPinned()).toEqual([]);
    expect(page.querySelectorAll(".entry").length).toBe(4);
  });

  it("are read anew with the list", async () => {
    await draw();
    stored = stored.map((one) =>
      one.id === "crows" ? { ...one, title: "About ravens", running: true, tags: ["birds"] } : one,
    );
    await act(() => refreshConversations());
    expect(inPinned()).toEqual(["About ravens", "About ducks"]);
    const [first] = page.querySelectorAll(".entry");
    expect(first?.querySelector(".running-dot")).not.toBeNull();
    expect(first?.querySelector(".entry-tag")?.textContent).toBe("birds");
  });
});

describe("pinning", () => {
  it("moves the entry up, with the focus, and says so", async () => {
    await draw();
    await choose("About bees", "Pin");
    await soon(() => expect(said()).toBe("“About bees” was pinned."));
    expect(asked).toContain('PATCH /api/conversations/bees {"pinned":true}');
    expect(parts()).toEqual([
      ["Pinned", "About bees", "About crows", "About ducks"],
      ["Today", "About ants"],
    ]);
    expect(focused()).toBe("More for About bees");
    expect(page.querySelector(".toast")).toBeNull();
  });

  it("and back, the last one too", async () => {
    stored = stored.filter(({ id }) => id !== "ducks");
    await draw();
    await choose("About crows", "Unpin");
    await soon(() => expect(said()).toBe("“About crows” is no longer pinned."));
    expect(parts().map(([name]) => name)).toEqual(["Today", "Previous 7 days", "March 2026"]);
    expect(focused()).toBe("More for About crows");
  });

  it("leaves the focus in the list where the entry is further down than what is loaded", async () => {
    atOnce = 2;
    await draw();
    await choose("About ducks", "Unpin");
    await soon(() => expect(said()).toBe("“About ducks” is no longer pinned."));
    expect(parts()).toEqual([
      ["Pinned", "About crows"],
      ["Today", "About ants"],
      ["Previous 7 days", "About bees"],
    ]);
    expect(document.activeElement?.textContent).toBe("About crows");
  });

  it("leaves the focus alone where it is elsewhere by then", async () => {
    let letGo = () => {};
    held = new Promise((done) => {
      letGo = done;
    });
    await draw();
    await choose("About bees", "Pin");
    expect(focused()).toBe("More for About bees");
    page.querySelector<HTMLElement>(".entry > a")?.focus();
    letGo();
    await soon(() => expect(said()).toBe("“About bees” was pinned."));
    expect(document.activeElement?.textContent).toBe("About crows");
  });

  it("that is refused moves nothing, and says why", async () => {
    refuses = (method) => method === "PATCH";
    await draw();
    await choose("About bees", "Pin");
    await settled("Not pinned: Not now.");
    expect(inPinned()).toEqual(["About crows", "About ducks"]);
    expect(focused()).toBe("More for About bees");
    expect(said()).toBe("");
  });

  it("is told of where it is not seen", async () => {
    await draw("work");
    await choose("About bees", "Pin");
    await settled("“About bees” was pinned.");
    expect(said()).toBe("");
    await openMenu("About bees");
    expect(page.querySelector("[role=menu]")?.textContent).toContain("Unpin");
  });

  it("is not offered for what is archived", async () => {
    stored = stored.map((one) => ({ ...one, pinned: false, archived: true }));
    await draw(null, true);
    await openMenu("About bees");
    expect([...page.querySelectorAll("[role=menuitem]")].map((one) => one.textContent)).toEqual([
      "Rename",
      "Move to project…",
      "Share…",
      "Export: Markdown",
      "Export: JSON",
      "Restore",
      "Delete",
    ]);
  });

  it("ends with archiving, and is there again where that is undone", async () => {
    await draw();
    await choose("About crows", "Archive");
    await settled("“About crows” was archived.");
    await soon(() => expect(inPinned()).toEqual(["About ducks"]));
    await click(button("Undo"));
    await soon(() => expect(inPinned()).toEqual(["About crows", "About ducks"]));
    expect(asked.filter((one) => one.startsWith("PATCH"))).toEqual([
      'PATCH /api/conversations/crows {"archived":true}',
      'PATCH /api/conversations/crows {"archived":false,"pinned":true}',
    ]);
  });
});

describe("the menu of a conversation", () => {
  const entries = () =>
    [...page.querySelectorAll<HTMLElement>("[role=menuitem]")].map((one) => one.textContent);

  it("has what the conversation's own page has", async () => {
    await draw();
    await openMenu("About bees");
    expect(entries()).toEqual([
      "Rename",
      "Pin",
      "Move to folder…",
      "Move to project…",
      "Share…",
      "Export: Markdown",
      "Export: JSON",
      "Archive",
      "Delete",
    ]);
    const links = [...page.querySelectorAll<HTMLAnchorElement>("a[role=menuitem]")];
    expect(links.map((link) => link.getAttribute("href"))).toEqual([
      "/api/conversations/bees/export?format=md",
      "/api/conversations/bees/export?format=json",
    ]);
  });

  it("shares the branch that its author looked at last, and gives the focus back", async () => {
    await draw();
    button("More for About bees")?.focus();
    await choose("About bees", "Share…");
    await settled("Create link");
    await click(button("Create link"));
    await soon(() => expect(asked).toContain('POST /api/conversations/bees/shares {"days":30}'));
    await click(button("Close"));
    expect(page.querySelector("dialog")).toBeNull();
    expect(focused()).toBe("More for About bees");
  });

  it("offers nothing to share or to save where nothing was asked", async () => {
    stored = stored.map((one) => ({ ...one, message_count: 0 }));
    await draw();
    await openMenu("About bees");
    expect(entries()).not.toContain("Share…");
    expect(page.querySelector("a[role=menuitem]")).toBeNull();
  });
});

it("the way to select stands in the line of the first heading, once, and beside no conversation", async () => {
  await draw();
  const head = () => [...page.querySelectorAll(".day:has(> .select-button)")];
  expect(head().map((one) => one.querySelector("h2")?.textContent)).toEqual(["Pinned"]);
  stored = stored.map((one) => ({ ...one, pinned: false }));
  await act(() => queryClient.invalidateQueries());
  await soon(() => expect(inPinned()).toEqual([]));
  expect(head().map((one) => one.querySelector("h2")?.textContent)).toEqual(["Today"]);
  expect(page.querySelectorAll(".select-button")).toHaveLength(1);
  await click(button("Select"));
  expect(page.querySelector(".select-button")).toBeNull();
});
