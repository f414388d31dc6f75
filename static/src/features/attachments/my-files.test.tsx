import { act } from "react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { OwnFile } from "../../api/attachments";
import { keys, queryClient } from "../../api/queries";
import { button, click, render, settled } from "../../test/render";
import { config } from "../../test/samples";
import { Toasts } from "../../ui/toast";
import { newIn } from "../composer/draft";
import { files as chosen } from "./chosen";
import MyFiles from "./my-files";

const limits = {
  max_bytes: 100,
  max_image_bytes: 100,
  max_images_per_question: 5,
  max_per_question: 10,
  max_bytes_per_user: 200 * 1024 ** 2,
  max_characters_read: 60_000,
  max_per_project: 20,
  max_bytes_per_project: 1000,
};

const file = (id: string, more: Partial<OwnFile> = {}): OwnFile => ({
  id,
  filename: `${id}.md`,
  stored_name: `${id}.txt`,
  file_type: "text",
  mime_type: "text/plain",
  size: 1024,
  state: "ready",
  characters: 1000,
  text_is_cut: false,
  used: false,
  created_at: "2026-03-12T09:30:00.000000",
  ...more,
});

/** What the server has, what becomes of a deletion, and what was to be deleted. */
let files: OwnFile[];
let refusal: { status: number; body: object } | null;
let isRead: boolean;
let deleted: string[];
/** Lets the answer to a deletion come. */
let answered: Promise<void>;

beforeEach(() => {
  queryClient.clear();
  queryClient.setDefaultOptions({ queries: { retry: false } });
  files = [];
  refusal = null;
  isRead = true;
  deleted = [];
  answered = Promise.resolve();
  queryClient.setQueryData(keys.config, { ...config, attachments: limits });
  vi.spyOn(globalThis, "fetch").mockImplementation(async (path, init = {}) => {
    const url = new URL(String(path), "http://council.test");
    if (url.pathname === "/api/user") return Response.json({ id: "ann", is_admin: false });
    if (url.pathname === "/api/projects") return Response.json({ projects: [{ id: "p-1" }] });
    if (init.method === "DELETE") {
      await answered;
      const id = url.pathname.split("/").at(-1) ?? "";
      deleted.push(id);
      if (refusal) return Response.json(refusal.body, { status: refusal.status });
      files = files.filter((one) => one.id !== id);
      return Response.json({ status: "ok", id });
    }
    if (!isRead) return Response.json({ detail: "the database is away" }, { status: 500 });
    const offset = Number(url.searchParams.get("offset"));
    const limit = Number(url.searchParams.get("limit"));
    return Response.json({
      attachments: files.slice(offset, offset + limit),
      total: files.length,
    });
  });
});
afterEach(() => vi.restoreAllMocks());

const view = () =>
  render(
    <>
      <MyFiles />
      <Toasts />
    </>,
    queryClient,
  );
const rows = (place: HTMLElement) => [...place.querySelectorAll(".own-file")];
const askedThen = (name: string) => {
  const dialog = document.querySelector("dialog");
  return click([...(dialog?.querySelectorAll("button") ?? [])].find((b) => b.textContent === name));
};

it("says what each file is, whether a question has used it, and what is wrong with it", async () => {
  files = [
    file("notes"),
    file("chart", { file_type: "png", width: 640, height: 480, used: true, size: 2048 }),
    file("locked", {
      file_type: "pdf",
      state: "failed",
      problem: "it is protected",
      problem_kind: "encrypted",
    }),
  ];
  const place = await view();
  await settled("Your files take up 4 KiB of 200 MiB.");
  const [notes, chart, locked] = rows(place);
  expect(notes?.textContent).toContain(
    "Text · 1 KiB · added Mar 12, 2026 · not used in a question yet",
  );
  expect(chart?.textContent).toContain(
    "PNG picture · 2 KiB · added Mar 12, 2026 · used in a question",
  );
  expect(locked?.textContent).toContain("It is protected by a password.");
  const link = notes?.querySelector("a");
  expect(link?.getAttribute("href")).toBe("/api/attachments/notes/content");
  expect(link?.getAttribute("download")).toBe("notes.md");
  // One that a question came with goes with its conversation alone.
  expect(rows(place).map((row) => row.querySelector("button") !== null)).toEqual([
    true,
    false,
    true,
  ]);
});

it("asks before it deletes one, which is out of the list at once, and leads the focus on", async () => {
  let answer = () => {};
  answered = new Promise((done) => {
    answer = done;
  });
  files = [file("a"), file("b", { used: true }), file("c")];
  for (const place of [null, newIn("p-1")])
    chosen.put(place, [
      { key: "k", name: "c.md", size: 1, state: "ready", id: "c", problem: null },
    ]);
  const place = await view();
  await settled("Your files take up 3 KiB");
  button("Delete c.md")?.focus();
  await click(button("Delete c.md"));
  expect(deleted).toEqual([]);
  await askedThen("Keep it");
  expect(rows(place).length).toBe(3);
  await click(button("Delete c.md"));
  await askedThen("Delete");
  expect(rows(place).length).toBe(2);
  await settled("Your files take up 2 KiB");
  // The one before has no button: a question has used it.
  expect(document.activeElement?.textContent).toBe("b.md");
  await act(async () => answer());
  await settled("“c.md” was deleted.");
  expect(deleted).toEqual(["c"]);
  expect(rows(place).length).toBe(2);
  // Nor is it chosen any more for a question that is not asked yet.
  expect(chosen.of(null)).toEqual([]);
  expect(chosen.of(newIn("p-1"))).toEqual([]);
  await click(button("Delete a.md"));
  await askedThen("Delete");
  await settled("“a.md” was deleted.");
  expect(document.activeElement?.textContent).toBe("b.md");
});

it("shows one again that the server keeps, with the reason", async () => {
  files = [file("a")];
  refusal = {
    status: 409,
    body: { type: "urn:llm-council:problem:in-the-way", detail: "a question came with this file" },
  };
  const place = await view();
  await settled("Your files take up 1 KiB");
  await click(button("Delete a.md"));
  await askedThen("Delete");
  await settled("Not deleted: A question has used it meanwhile");
  expect(rows(place).length).toBe(1);
  expect(document.activeElement?.textContent).toBe("Your files");
  // Another server was quicker, or another tab.
  refusal = { status: 404, body: {} };
  files = [];
  await click(button("Delete a.md"));
  await askedThen("Delete");
  await settled("You have no files here.");
  expect(document.activeElement?.textContent).toBe("Your files");
});

it("shows fifty, and the rest when asked, with the sum once it is known", async () => {
  files = Array.from({ length: 60 }, (_, at) => file(`f${at}`));
  const place = await view();
  await settled("The files that are shown here take up 50 KiB of your 200 MiB.");
  expect(rows(place).length).toBe(50);
  expect(place.textContent).toContain("50 of 60");
  const more = button("Show more");
  more?.focus();
  await click(more);
  await settled("Your files take up 60 KiB of 200 MiB.");
  expect(rows(place).length).toBe(60);
  // With the last of them the button goes.
  expect(button("Show more")).toBeUndefined();
  expect(document.activeElement?.previousElementSibling?.textContent).toBe("60 of 60");
});

it("says that there are none, that they are switched off, and that the list could not be read", async () => {
  const place = await view();
  await settled("You have no files here.");
  expect(place.querySelector("ul")).toBeNull();
  isRead = false;
  await act(() => queryClient.refetchQueries({ queryKey: ["attachments"] }));
  await settled("The list could not be loaded: the database is away");
  isRead = true;
  files = [file("a", { used: true })];
  await click(button("Try again"));
  await settled("a.md");
  expect(place.textContent).not.toContain("could not be loaded");
  await act(async () => queryClient.setQueryData(keys.config, config));
  await settled("Files are switched off on this server.");
  expect(rows(place).length).toBe(1);
});
