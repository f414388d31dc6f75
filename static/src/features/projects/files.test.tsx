import { act } from "react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { ProjectFile } from "../../api/project-files";
import type { Project } from "../../api/projects";
import { keys, queryClient } from "../../api/queries";
import { button, render, settled } from "../../test/render";
import { config } from "../../test/samples";
import { Toasts } from "../../ui/toast";
import { Files } from "./files";
import FromProject from "./from-project";

const limits = {
  max_bytes: 100,
  max_image_bytes: 100,
  max_images_per_question: 5,
  max_per_question: 10,
  max_bytes_per_user: 1000,
  max_characters_read: 60_000,
  max_per_project: 20,
  max_bytes_per_project: 1000,
};

const project = (role: Project["role"]) => ({ id: "p-1", name: "Herons", role }) as Project;

const file: ProjectFile = {
  id: "f1",
  filename: "notes.md",
  file_type: "text",
  mime_type: "text/plain",
  size: 27,
  characters: 27,
  text_is_cut: false,
  created_at: "2026-03-12T09:00:00.000000",
};

let files: ProjectFile[];
let refused: unknown;

const setUp = (role: Project["role"], most: number) => {
  queryClient.setQueryData(["project", "p-1"], project(role));
  queryClient.setQueryData(keys.config, {
    ...config,
    attachments: { ...limits, max_per_project: most },
  });
};

beforeEach(() => {
  queryClient.clear();
  files = [file];
  refused = null;
  vi.spyOn(globalThis, "fetch").mockImplementation(async (path, init = {}) => {
    if (path === "/api/user") return Response.json({ id: "ann", is_admin: false });
    if (init.method === "POST" && refused !== null) {
      return new Response(JSON.stringify(refused), {
        status: 422,
        headers: { "content-type": "application/problem+json" },
      });
    }
    if (String(path).endsWith("/files")) return Response.json({ files });
    return Response.json(queryClient.getQueryData(["project", "p-1"]));
  });
});
afterEach(() => vi.restoreAllMocks());

const choose = (place: HTMLElement, chosen: File) =>
  act(async () => {
    const control = place.querySelector<HTMLInputElement>("input[type=file]");
    if (!control) throw new Error("nothing takes files");
    Object.defineProperty(control, "files", { configurable: true, value: [chosen] });
    control.dispatchEvent(new Event("change", { bubbles: true }));
  });

describe("the files of a project", () => {
  it("keep the name that they had first, and say so where the same comes under another", async () => {
    setUp("owner", 20);
    const names: string[] = [];
    const others = vi.mocked(fetch).getMockImplementation();
    vi.mocked(fetch).mockImplementation(async (path, init = {}) => {
      if (init.method !== "POST") return (await others?.(path, init)) ?? new Response();
      const sent = (init.body as FormData).get("file") as File;
      names.push(sent.name);
      return Response.json({ ...file, filename: sent.name });
    });
    const place = await render(
      <>
        <Files project={project("owner")} />
        <Toasts />
      </>,
      queryClient,
    );
    await settled("27 bytes");
    await choose(place, new File(["x"], "same.txt", { type: "text/plain" }));
    await settled("same.txt is the same file as notes.md.");
    expect(names).toEqual(["same.txt", "notes.md"]);
    await choose(place, new File(["x"], "notes.md", { type: "text/plain" }));
    await settled("notes.md is in the project now.");
    expect(names).toEqual(["same.txt", "notes.md", "notes.md"]);
  });

  it("say in the page's own words why one was not taken", async () => {
    setUp("owner", 20);
    const place = await render(<Files project={project("owner")} />, queryClient);
    await settled("notes.md");
    const message = "cannot be read (locked.pdf): It is protected by a password.";
    refused = { problem_kind: "encrypted", detail: [], errors: [{ field: "file", message }] };
    await choose(place, new File(["%PDF-"], "locked.pdf", { type: "application/pdf" }));
    await settled(
      "locked.pdf was not added. It is protected by a password. Save it without one, and add that.",
    );
    await choose(place, new File(["x".repeat(101)], "long.txt", { type: "text/plain" }));
    await settled("long.txt was not added. It is larger than 100 bytes.");
    expect(place.textContent).not.toContain("locked.pdf");
    expect(place.querySelector("[role=alert]")).not.toBeNull();
  });

  it("are for reading where one does not own the project", async () => {
    setUp("writer", 20);
    const place = await render(<Files project={project("writer")} />, queryClient);
    await settled("27 bytes · 27 characters");
    expect(place.querySelector("a")?.getAttribute("href")).toBe(
      "/api/projects/p-1/files/f1/content",
    );
    expect(button("Remove")).toBeUndefined();
    expect(place.querySelector("input")).toBeNull();
  });

  it("can still be removed where they are switched off, and are not spoken of where there are none", async () => {
    setUp("owner", 0);
    const place = await render(<Files project={project("owner")} />, queryClient);
    await settled("no question is asked with these");
    expect(button("Remove notes.md")).toBeDefined();
    expect(place.querySelector("input")).toBeNull();
    files = [];
    await act(async () => queryClient.invalidateQueries({ queryKey: ["project", "p-1", "files"] }));
    expect(place.textContent).toBe("");
  });

  it("are named where the next question is typed", async () => {
    setUp("writer", 20);
    files = [file, { ...file, id: "f2", filename: "counts.csv" }];
    await render(<FromProject id="p-1" />, queryClient);
    await settled("Read from the project: notes.md, counts.csv");
  });
});
