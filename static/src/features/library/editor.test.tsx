import { act } from "react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Entry } from "../../api/library";
import { queryClient } from "../../api/queries";
import LibraryPage from "../../pages/library";
import { button, click, render, settled, type } from "../../test/render";
import { Toasts } from "../../ui/toast";

const at = "2026-03-12T09:30:00";

/** What the server has. */
let entry: Entry;
/** Somebody has deleted it. */
let isGone: boolean;
let asked: [string, Record<string, unknown>][];

function entryOf(version: number, text: string): Entry {
  const lines = Array.from({ length: version }, (_, index) => ({
    version: version - index,
    name: "Tone",
    created_at: at,
  }));
  return {
    id: "l-1",
    kind: "rubric",
    name: "Tone",
    text,
    version,
    shared: false,
    is_mine: true,
    author: "ann",
    created_at: at,
    updated_at: at,
    versions: lines as Entry["versions"],
  };
}

function answer(path: string, method: string, body: Record<string, unknown>): Response {
  if (path === "/api/user") return Response.json({ id: "ann", is_admin: false });
  if (method !== "GET") asked.push([`${method} ${path}`, body]);
  if (isGone) {
    return Response.json(
      { type: "urn:llm-council:problem:not-found", status: 404 },
      { status: 404, headers: { "content-type": "application/problem+json" } },
    );
  }
  if (method === "PUT") {
    if (body.version !== entry.version) {
      return Response.json(
        { type: "urn:llm-council:problem:changed-meanwhile", status: 409 },
        { status: 409, headers: { "content-type": "application/problem+json" } },
      );
    }
    entry = entryOf(entry.version + 1, String(body.text));
  }
  if (path.endsWith("/restore")) entry = entryOf(entry.version + 1, "- Brief");
  else if (method === "POST") entry = entryOf(1, String(body.text));
  return Response.json(entry);
}

/** What is sent waits for it. */
let held: Promise<void>;

beforeEach(() => {
  queryClient.clear();
  entry = entryOf(1, "- Brief");
  isGone = false;
  asked = [];
  held = Promise.resolve();
  vi.spyOn(globalThis, "fetch").mockImplementation(async (path, init = {}) => {
    const body = typeof init.body === "string" ? JSON.parse(init.body) : {};
    if (init.method) await held;
    return answer(new URL(String(path), location.origin).pathname, init.method ?? "GET", body);
  });
});
afterEach(() => {
  vi.restoreAllMocks();
  history.replaceState(null, "", "/");
});

let page: HTMLElement;
async function open(path: string) {
  history.replaceState(null, "", path);
  page = await render(
    <>
      <LibraryPage />
      <Toasts />
    </>,
    queryClient,
  );
  await settled("Criteria");
}
const text = () => page.querySelector("textarea");
const versions = () =>
  [...page.querySelectorAll(".library-version")].map((one) => one.textContent?.slice(0, 9));

describe("a new one", () => {
  it("says what is missing, and sends nothing", async () => {
    await open("/library/new/rubric");
    await click(button("Save"));
    const wrong = [...page.querySelectorAll<HTMLElement>("[aria-invalid=true]")];
    expect(wrong.map(({ tagName }) => tagName)).toEqual(["INPUT", "TEXTAREA"]);
    expect(page.textContent).toContain("This field is required.");
    expect(document.activeElement).toBe(wrong[0]);
    await type(page.querySelector("input"), "Tone");
    await click(button("Save"));
    expect(document.activeElement).toBe(text());
    expect(asked).toEqual([]);
  });

  it("that is saved takes nobody from the page that they have gone on to", async () => {
    await open("/library/new/rubric");
    await type(page.querySelector("input"), "Tone");
    await type(text(), "- Brief");
    let release: () => void = () => undefined;
    held = new Promise<void>((done) => {
      release = done;
    });
    await click(button("Save"));
    await act(async () => history.pushState(null, "", "/c/c-1"));
    release();
    await settled("“Tone” was saved.");
    expect(location.pathname).toBe("/c/c-1");
  });
});

describe("one that was changed elsewhere meanwhile", () => {
  /** Somebody has saved another version while this one was written. */
  async function meet() {
    await open("/library/l-1");
    await type(text(), "- Mine");
    entry = entryOf(2, "- From elsewhere");
    button("Save")?.focus();
    await click(button("Save"));
    await settled("version 2 was saved meanwhile");
  }

  it("stands beside what is typed, which stays, and among the versions", async () => {
    await meet();
    expect(text()?.value).toBe("- Mine");
    const beside = page.querySelector(".library-conflict");
    expect(beside?.querySelector("pre")?.textContent).toBe("- From elsewhere");
    expect(document.activeElement).toBe(beside);
    expect(versions()).toEqual(["Version 2", "Version 1"]);
  });

  it("gets what is typed as its next version", async () => {
    await meet();
    button("Save mine as the next version")?.focus();
    await click(button("Save mine as the next version"));
    await settled("“Tone” was saved.");
    expect(asked.at(-1)?.[1]).toMatchObject({ version: 2, text: "- Mine" });
    await vi.waitFor(() => expect(versions()).toEqual(["Version 3", "Version 2", "Version 1"]));
    expect(page.querySelector(".library-conflict")).toBeNull();
    expect(document.activeElement?.textContent).toBe("Save");
  });

  it("takes its place, and what was typed comes back when that is wished", async () => {
    await meet();
    await click(button("Go on with version 2"));
    expect(text()?.value).toBe("- From elsewhere");
    expect(document.activeElement).toBe(text());
    expect(page.textContent).not.toContain("Not saved");
    await click(button("Undo"));
    expect(text()?.value).toBe("- Mine");
    await click(button("Save"));
    await vi.waitFor(() => expect(asked.at(-1)?.[1]).toMatchObject({ version: 2, text: "- Mine" }));
  });

  it("is met again where yet another one has come", async () => {
    await meet();
    entry = entryOf(3, "- Once more");
    await click(button("Save mine as the next version"));
    await settled("version 3 was saved meanwhile");
    expect(text()?.value).toBe("- Mine");
    expect(page.querySelector(".library-conflict pre")?.textContent).toBe("- Once more");
  });
});

it("what is typed while one is being saved stays", async () => {
  await open("/library/l-1");
  await type(text(), "- Mine");
  let go: () => void = () => undefined;
  held = new Promise((done) => {
    go = done;
  });
  await click(button("Save"));
  await type(text(), "- Mine, and more");
  await act(async () => go());
  await settled("“Tone” was saved.");
  expect(text()?.value).toBe("- Mine, and more");
});

it("what is typed when an earlier version is restored comes back when that is wished", async () => {
  entry = entryOf(2, "- Newer");
  await open("/library/l-1");
  await type(text(), "- Mine");
  await click(button("Restore version 1"));
  await settled("Version 1 was restored.");
  expect(text()?.value).toBe("- Brief");
  await click(button("Undo"));
  expect(text()?.value).toBe("- Mine");
  await click(button("Save"));
  await vi.waitFor(() => expect(asked.at(-1)?.[1]).toMatchObject({ version: 3, text: "- Mine" }));
});

it("an address that is none in the library says so", async () => {
  history.replaceState(null, "", "/library/new/poem");
  await render(<LibraryPage />, queryClient);
  await settled("There is nothing here");
});

it("what is typed stays where the entry is deleted meanwhile, and a save says so", async () => {
  await open("/library/l-1");
  await type(text(), "- Mine");
  isGone = true;
  await act(() => queryClient.invalidateQueries());
  expect(text()?.value).toBe("- Mine");
  await click(button("Save"));
  await settled("This does not exist, or no longer does.");
  expect(text()?.value).toBe("- Mine");
  await type(text(), "- Brief");
  await settled("This is not in the library");
});
