import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { identity } from "../../api/identity";
import { keptInTab } from "../../ui/kept";
import { files } from "./chosen";
import { add } from "./upload";

const said = vi.hoisted(() => [] as string[]);
vi.mock(import("../../ui/toast"), async (original) => ({
  ...(await original()),
  toast: (text: string) => {
    said.push(text);
    return () => undefined;
  },
}));

const limits = {
  max_bytes: 100,
  max_image_bytes: 100,
  max_images_per_question: 1,
  max_per_question: 2,
  max_bytes_per_user: 1000,
  max_characters_read: 100,
  max_per_project: 1,
  max_bytes_per_project: 1000,
};

beforeEach(async () => {
  await identity.note("ann");
  said.length = 0;
  vi.spyOn(globalThis, "fetch").mockImplementation(async (path, init = {}) => {
    if (path === "/api/user") return Response.json({ id: "ann", is_admin: false });
    const sent = (init.body as FormData).get("file") as File;
    // Known by what is in it.
    const id = await sent.text();
    return Response.json({ id, filename: sent.name, size: sent.size, state: "ready" });
  });
});
afterEach(() => {
  vi.restoreAllMocks();
  files.clear("c1");
  files.clear("c2");
});

const text = (name: string, content: string) => new File([content], name, { type: "text/plain" });
const shown = () => files.of("c1").map(({ name, state }) => [name, state]);
const settled = () =>
  vi.waitFor(() => expect(files.of("c1").some(({ state }) => state === "uploading")).toBe(false));

it("files that cannot be used leave their places to others", async () => {
  add("c1", [text("a.txt", ""), text("b.txt", ""), text("c.txt", "c"), text("d.txt", "d")], limits);
  await settled();
  expect(shown()).toEqual([
    ["a.txt", "failed"],
    ["b.txt", "failed"],
    ["c.txt", "ready"],
    ["d.txt", "ready"],
  ]);
  add("c1", [text("e.txt", "e")], limits);
  expect(files.of("c1").at(-1)?.problem).toBe("At most 2 files can go with one question.");
});

it("the same file under another name is named, and stays what it was called first", async () => {
  add("c1", [text("notes.md", "herons"), text("same.txt", "herons")], limits);
  await vi.waitFor(() => expect(said).toEqual(["same.txt is the same file as notes.md."]));
  expect(shown()).toEqual([["notes.md", "ready"]]);
  add("c1", [text("notes.md", "herons")], limits);
  await vi.waitFor(() => expect(shown()).toEqual([["notes.md", "ready"]]));
  expect(said).toHaveLength(1);
});

it("a folder is told from a server that cannot be reached", async () => {
  const folder = new File(["a directory"], "Photos");
  vi.spyOn(folder, "slice").mockImplementation(() => {
    const beginning = new Blob();
    vi.spyOn(beginning, "arrayBuffer").mockRejectedValue(new DOMException("", "NotReadableError"));
    return beginning;
  });
  add("c1", [folder, text("a.txt", "a")], limits);
  await settled();
  expect(shown()).toEqual([
    ["Photos", "failed"],
    ["a.txt", "ready"],
  ]);
  expect(files.of("c1")[0]?.problem).toMatch(/^It cannot be read here\./);
  const asked = vi.mocked(fetch).mock.calls.map(([path]) => path);
  expect(asked.filter((path) => path === "/api/attachments")).toHaveLength(1);
});

it("what is added after a reload leaves those from before it alone", async () => {
  add("c1", [text("a.txt", "a")], limits);
  await settled();
  const last = Number(files.of("c1")[0]?.key.replace("file-", ""));
  const before = { key: `file-${last + 1}`, id: "old", name: "old.txt", state: "ready" };
  keptInTab.write("files:c2", JSON.stringify([before]));
  add("c2", [text("new.txt", "new")], limits);
  await vi.waitFor(() => expect(files.of("c2").at(-1)?.state).toBe("ready"));
  expect(files.of("c2").map(({ name, id }) => [name, id])).toEqual([
    ["old.txt", "old"],
    ["new.txt", "new"],
  ]);
});
