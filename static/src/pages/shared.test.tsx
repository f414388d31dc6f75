import { act } from "react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { queryClient } from "../api/queries";
import type { SharedConversation } from "../api/shares";
import type { AssistantMessage, Message } from "../api/types";
import { filesOf, NotCopied } from "../features/sharing/not-copied";
import { button, click, render, settled } from "../test/render";
import { answer, review, seats, storedRun, synthesis } from "../test/samples";
import { Toasts } from "../ui/toast";
import SharedPage from "./shared";

const final = (id: string, text: string, more: Partial<AssistantMessage> = {}) => {
  const refusal = { response: "", error: "no such model", error_kind: "refused" } as const;
  const answers = seats.map((seat, at) => answer(seat, at === 1 ? refusal : {}));
  const { run_id: _, ...message } = storedRun(
    answers,
    seats.map((seat) => review(seat)),
    synthesis({ response: text }),
  );
  return { ...message, id, ...more };
};

const question = (id: string, content: string): Message => ({
  id,
  parent_id: null,
  role: "user",
  content,
  created_at: "2026-03-12T09:00:00.000000",
});

const file = {
  id: "f-1",
  filename: "moon.pdf",
  file_type: "pdf",
  mime_type: "application/pdf",
  size: 1024,
  characters: 10,
  characters_read: 10,
};

const snapshot: SharedConversation = {
  id: "s-1",
  title: "Tides",
  shared_by: "Ann Lee",
  is_mine: false,
  created_at: "2026-03-12T09:30:00.000000",
  expires_at: "2026-04-11T09:30:00.000000",
  messages: [
    {
      ...question("q-1", "What makes the tides?"),
      attachments: [file],
      project_files: [
        {
          filename: "tides.md",
          file_type: "text",
          size: 90_000,
          characters: 90_000,
          characters_read: 59_990,
        },
      ],
    } as Message,
    final("a-1", "The moon does."),
    question("q-2", "And the wind?"),
    final("a-2", "The sun does.", { status: "failed", error: "no answers" }),
  ],
};

let shared: SharedConversation;
/** A refusal by its status; null where there is none. */
let refused: { status: number; detail: string } | null;
let asked: string[];
/** What changes something waits for it. */
let held: Promise<unknown>;

beforeEach(() => {
  queryClient.clear();
  held = Promise.resolve();
  history.replaceState(null, "", "/s/s-1");
  shared = snapshot;
  refused = null;
  asked = [];
  vi.spyOn(globalThis, "fetch").mockImplementation(async (path, init = {}) => {
    const method = init.method ?? "GET";
    if (path === "/api/user") return Response.json({ id: "ben", is_admin: false });
    asked.push(`${method} ${path}`);
    if (method !== "GET") await held;
    if (refused) {
      return new Response(JSON.stringify(refused), {
        status: refused.status,
        headers: { "content-type": "application/problem+json" },
      });
    }
    if (method === "POST") return Response.json({ status: "ok", conversation: { id: "c-new" } });
    if (method === "DELETE") return Response.json({ status: "ok", id: "s-1" });
    return Response.json(shared);
  });
});
afterEach(() => vi.restoreAllMocks());

/** Holds what changes something, until what is returned is called. */
function hold(): () => void {
  let release: () => void = () => undefined;
  held = new Promise<void>((done) => {
    release = done;
  });
  return () => release();
}

const show = () =>
  render(
    <>
      <SharedPage id="s-1" />
      <Toasts />
    </>,
    queryClient,
  );

describe("what somebody shares", () => {
  it("is read like a conversation, and asks the server for nothing else", async () => {
    const page = await show();
    await settled("The moon does.");
    await settled("The sun does.");
    expect(page.querySelector("h1")?.textContent).toBe("Tides");
    expect(document.title).toBe("Tides · LLM Council");
    expect(page.querySelector(".shared-head")?.textContent).toContain(
      "Shared by Ann Lee on March 12, 2026 · works until April 11, 2026",
    );
    await click(button("Answers"));
    await settled("aurora/large says so.");
    await settled("What the server noted");
    // What would look into the reader's settings comes on demand.
    await act(() => import("../features/models/gone"));
    expect(button("Copy answer")).toBeDefined();
    expect(button("Copy all as Markdown")).toBeDefined();
    expect(asked).toEqual(["GET /api/shares/s-1"]);
  });

  it("cannot be changed, asked again or judged", async () => {
    const page = await show();
    await settled("The sun does.");
    await settled("moon.pdf");
    await settled("tides.md");
    await settled("From the project; the council read the first 59,990 of 90,000 characters");
    for (const name of ["Ask", "Edit", "Good answer", "Share", "Export", "Process log"]) {
      expect(button(name), name).toBeUndefined();
    }
    expect(page.querySelector("textarea")).toBeNull();
    expect(page.querySelector(".files a")).toBeNull();
  });

  it("leads from each answer to its own reviews", async () => {
    const page = await show();
    await settled("The sun does.");
    const ids = [...page.querySelectorAll("[id^='reviews-']")].map(({ id }) => id);
    expect(ids).toEqual(["reviews-a-1", "reviews-a-2"]);
  });

  it("is gone on with as one's own", async () => {
    await show();
    await settled("Continue as my own");
    await click(button("Continue as my own"));
    await vi.waitFor(() => expect(location.pathname).toBe("/c/c-new"));
    expect(asked).toEqual(["GET /api/shares/s-1", "POST /api/shares/s-1/copy"]);
  });

  it("leaves whoever goes on to another page while it is copied where they are", async () => {
    await show();
    await settled("Continue as my own");
    const release = hold();
    await click(button("Continue as my own"));
    await settled("Copying…");
    await act(async () => history.pushState(null, "", "/c/c-other"));
    release();
    await settled("Continue as my own");
    expect(location.pathname).toBe("/c/c-other");
  });

  it("says which files its copy is without, before and in the copy", async () => {
    const page = await show();
    await settled(
      "Files are not copied: questions in your copy are asked without moon.pdf, tides.md.",
    );
    await click(button("Continue as my own"));
    await vi.waitFor(() => expect(location.pathname).toBe("/c/c-new"));
    await render(<NotCopied />);
    expect(page.textContent).toMatch(/^The files are not in this copy: moon.pdf, tides.md. /);
    await act(async () => history.pushState(null, "", "/c/c-other"));
    expect(page.textContent).toBe("");
  });

  it("says nothing of files where there are none", async () => {
    const messages = snapshot.messages.map((message) =>
      message.role === "user" ? { ...message, attachments: [], project_files: [] } : message,
    );
    shared = { ...snapshot, messages };
    const page = await show();
    await settled("It is copied to your conversations.");
    expect(page.textContent).not.toContain("Files are not copied");
  });

  it("says why it is not copied, and can be copied then", async () => {
    await show();
    await settled("Continue as my own");
    refused = { status: 409, detail: "not now" };
    await click(button("Continue as my own"));
    await settled("Not copied: not now");
    refused = null;
    await click(button("Continue as my own"));
    await vi.waitFor(() => expect(location.pathname).toBe("/c/c-new"));
  });

  it("that is withdrawn or over says so", async () => {
    refused = { status: 404, detail: "There is no such link" };
    const page = await show();
    await settled("This link does not work any more");
    expect(page.textContent).toContain("it is only for members of a project");
    expect(page.querySelector("a")?.getAttribute("href")).toBe("/");
  });

  it("is withdrawn also from a page that shows it", async () => {
    await show();
    await settled("The moon does.");
    refused = { status: 404, detail: "There is no such link" };
    await act(() => queryClient.invalidateQueries({ queryKey: ["shared"] }));
    await settled("This link does not work any more");
  });

  it("is asked for again after a fault", async () => {
    refused = { status: 500, detail: "broken" };
    await show();
    await settled("broken");
    refused = null;
    await click(button("Try again"));
    await settled("The moon does.");
  });
});

describe("what is one's own", () => {
  beforeEach(() => {
    shared = { ...snapshot, is_mine: true, conversation_id: "c-1" };
  });

  it("leads to its conversation, also once it is shared no longer", async () => {
    const page = await show();
    await settled("Shared by you on March 12, 2026");
    expect(page.querySelector(".shared-ways a")?.getAttribute("href")).toBe("/c/c-1");
    expect(button("Continue as my own")).toBeUndefined();
    await click(button("Stop sharing"));
    await settled("Stop sharing?");
    await click([...page.querySelectorAll("dialog button")].at(-1));
    await settled("The link no longer works.");
    expect(location.pathname).toBe("/c/c-1");
    expect(asked).toEqual(["GET /api/shares/s-1", "DELETE /api/shares/s-1"]);
  });

  it("is stopped without taking anybody from the page that they have gone on to", async () => {
    const page = await show();
    await settled("Shared by you on March 12, 2026");
    const release = hold();
    await click(button("Stop sharing"));
    await settled("Stop sharing?");
    await click([...page.querySelectorAll("dialog button")].at(-1));
    await act(async () => history.pushState(null, "", "/c/c-other"));
    release();
    await settled("The link no longer works.");
    expect(location.pathname).toBe("/c/c-other");
  });
});

it("a copy that stays in its project goes on with the files of that", () => {
  expect(filesOf(snapshot.messages, true)).toEqual(["moon.pdf"]);
  expect(filesOf(snapshot.messages, false)).toEqual(["moon.pdf", "tides.md"]);
});
