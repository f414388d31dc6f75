import { act } from "react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { ProjectSummary } from "../../api/projects";
import { queryClient } from "../../api/queries";
import type { Share } from "../../api/shares";
import type { Conversation } from "../../api/types";
import { newRun } from "../../run/state";
import { button, click, render, settled } from "../../test/render";
import { Toasts } from "../../ui/toast";
import { newConversation } from "../asking/conversation";
import { type LiveRun, useLiveRuns } from "../asking/runs";
import { Head } from "../conversations/head";
import MyShares from "./my-shares";

const share = (more: Partial<Share> = {}): Share => ({
  id: "s-1",
  conversation_id: "c-1",
  title: "Tides",
  path: "/s/s-1",
  message_count: 2,
  created_at: "2026-03-12T09:30:00.000000",
  expires_at: "2026-04-11T09:30:00.000000",
  ...more,
});

const project = (id: string, name: string): ProjectSummary => ({
  id,
  name,
  role: "viewer",
  created_at: "2026-03-01T09:00:00.000000",
  updated_at: "2026-03-01T09:00:00.000000",
});
const herons = project("p-1", "Herons");
const storks = project("p-2", "Storks");

const conversation: Conversation = {
  ...newConversation("c-1"),
  title: "Tides",
  message_count: 2,
  messages: [
    {
      id: "m-1",
      parent_id: null,
      role: "user",
      content: "Why?",
      created_at: "2026-03-12T09:00:00",
    },
  ],
};

/** What the server has, and what it was asked for. */
let shares: Share[];
let maxDays: number;
let projects: ProjectSummary[];
/** Whether it is of the version that knows no links for projects. */
let isOld: boolean;
let refuses: object | null;
let asked: [string, unknown][];

function answer(url: URL, method: string, body: Record<string, unknown>): object {
  if (url.pathname === "/api/user") return { id: "ada", is_admin: false };
  if (url.pathname === "/api/projects") return { projects };
  if (method !== "GET") asked.push([`${method} ${url.pathname}`, body]);
  if (method === "POST") {
    const limits = isOld || !body.project_id ? {} : { project_id: String(body.project_id) };
    shares = [share({ id: "s-new", path: "/s/s-new", ...limits }), ...shares];
    return shares[0] ?? {};
  }
  if (method === "DELETE") {
    shares = shares.filter(({ id }) => !url.pathname.endsWith(id));
    return { status: "ok" };
  }
  const offset = Number(url.searchParams.get("offset"));
  const limit = Number(url.searchParams.get("limit"));
  const of = url.searchParams.get("conversation_id");
  const found = shares.filter((one) => of === null || one.conversation_id === of);
  return {
    shares: found.slice(offset, offset + limit),
    total: found.length,
    max_days: maxDays,
  };
}

beforeEach(() => {
  queryClient.clear();
  shares = [];
  maxDays = 365;
  projects = [];
  isOld = false;
  refuses = null;
  asked = [];
  vi.spyOn(globalThis, "fetch").mockImplementation(async (path, init = {}) => {
    const method = init.method ?? "GET";
    const body = typeof init.body === "string" ? JSON.parse(init.body) : {};
    const refused = method !== "GET" && refuses;
    const url = new URL(String(path), location.origin);
    return new Response(JSON.stringify(refused || answer(url, method, body)), {
      status: refused ? 409 : 200,
      headers: { "content-type": refused ? "application/problem+json" : "application/json" },
    });
  });
});
afterEach(() => vi.restoreAllMocks());

/** The way on in the question, which stands last. */
const sure = async () => {
  await settled("Stop sharing?");
  const asks = [...document.querySelectorAll("dialog")].at(-1);
  await click([...(asks?.querySelectorAll("button") ?? [])].at(-1));
};

const address = () => document.querySelector<HTMLInputElement>("input[readonly]");
const gone = async (selector: string) => {
  await vi.waitFor(async () => {
    await act(async () => undefined);
    expect(document.querySelector(selector)).toBeNull();
  });
};

describe("the links of a conversation", () => {
  const open = async (more: Partial<Conversation> = {}) => {
    const page = await render(
      <>
        <Head conversation={{ ...conversation, ...more }} title="Tides" />
        <Toasts />
      </>,
      queryClient,
    );
    button("Share…")?.focus();
    await click(button("Share…"));
    await settled("Share this conversation");
    return page;
  };

  it("are made of the branch that is shown, for as long as is chosen", async () => {
    const page = await open();
    await settled("can read this branch as it is now");
    await settled("Create link");
    const days = page.querySelector("select");
    expect([...(days?.options ?? [])].map(({ text }) => text)).toEqual([
      "7 days",
      "30 days",
      "90 days",
    ]);
    expect(days?.value).toBe("30");
    await act(async () => {
      if (days) days.value = "7";
      days?.dispatchEvent(new Event("change", { bubbles: true }));
    });
    await click(button("Create link"));
    await settled("works until Apr 11, 2026");
    expect(asked).toEqual([["POST /api/conversations/c-1/shares", { branch_end: "m-1", days: 7 }]]);
    expect(address()?.value).toBe(`${location.origin}/s/s-new`);
    expect(document.activeElement).toBe(address());
    expect(page.querySelectorAll(".share")).toHaveLength(1);
  });

  it("are made in a dialog that begins at its heading, not at the way out", async () => {
    await open();
    expect(document.activeElement?.textContent).toBe("Share this conversation");
  });

  const audience = () => document.querySelector<HTMLSelectElement>(".share-audience select");
  const offered = () => [...(audience()?.options ?? [])].map(({ text }) => text);
  const choose = (value: string) =>
    act(async () => {
      const field = audience();
      if (field) field.value = value;
      field?.dispatchEvent(new Event("change", { bubbles: true }));
    });

  it("are for everybody, or for the members of a project that one is in", async () => {
    projects = [herons, storks];
    await open();
    await settled("The link shows this branch as it is now");
    await settled("Create link");
    const everyone = "Everybody who is signed in and has the link";
    expect(offered()).toEqual([everyone, "Members of Herons", "Members of Storks"]);
    expect(audience()?.value).toBe("");
    await choose("p-2");
    await click(button("Create link"));
    await settled("only for members of Storks");
    expect(asked.map(([, body]) => body)).toEqual([
      { branch_end: "m-1", days: 30, project_id: "p-2" },
    ]);
  });

  it("are for the members of its project, unless something else is chosen", async () => {
    projects = [herons, storks];
    await open({ project_id: "p-2" });
    await settled("Create link");
    const everyone = "Everybody who is signed in and has the link";
    expect(offered()).toEqual(["Members of Storks", everyone, "Members of Herons"]);
    expect(audience()?.value).toBe("p-2");
    await choose("");
    expect(audience()?.value).toBe("");
    await click(button("Create link"));
    await settled("works until");
    expect(asked.map(([, body]) => body)).toEqual([{ branch_end: "m-1", days: 30 }]);
  });

  it("are for everybody where one is in no project", async () => {
    await open();
    await settled("Create link");
    expect(audience()).toBeNull();
  });

  it("are withdrawn at once where an older server has made them for everybody", async () => {
    projects = [herons];
    isOld = true;
    const page = await open({ project_id: "p-1" });
    await settled("Create link");
    await click(button("Create link"));
    await settled("Not created: The server cannot limit a link to a project yet.");
    expect(asked).toEqual([
      ["POST /api/conversations/c-1/shares", { branch_end: "m-1", days: 30, project_id: "p-1" }],
      ["DELETE /api/shares/s-new", {}],
    ]);
    expect(page.querySelectorAll(".share")).toHaveLength(0);
  });

  it("work no longer than the server allows", async () => {
    maxDays = 14;
    const page = await open();
    await settled("Create link");
    const days = page.querySelector("select");
    expect([...(days?.options ?? [])].map(({ text }) => text)).toEqual(["7 days", "14 days"]);
    expect(days?.value).toBe("14");
  });

  it("are copied whole", async () => {
    shares = [share()];
    const copied = vi.fn(async (_: string) => undefined);
    vi.stubGlobal("navigator", { ...navigator, onLine: true, clipboard: { writeText: copied } });
    await open();
    await settled("created Mar 12, 2026");
    await click(button("Copy link: created Mar 12, 2026"));
    expect(copied).toHaveBeenCalledExactlyOnceWith(`${location.origin}/s/s-1`);
  });

  it("are not needed by those who share a project with its author", async () => {
    const copied = vi.fn(async (_: string) => undefined);
    vi.stubGlobal("navigator", { ...navigator, onLine: true, clipboard: { writeText: copied } });
    projects = [herons];
    await open({ project_id: "p-1" });
    await settled("Everybody in the project Herons can read it anyway");
    await click(button("Copy link for the project"));
    expect(copied).toHaveBeenCalledExactlyOnceWith(`${location.origin}/p/p-1/c/c-1`);
  });

  it("are all there is where its author has left the project", async () => {
    projects = [herons];
    await open({ project_id: "p-2" });
    await settled("Create link");
    expect(button("Copy link for the project")).toBeUndefined();
    expect(audience()?.value).toBe("");
  });

  it("are stopped after a question, and the dialog itself says so", async () => {
    shares = [share({ id: "s-2" }), share(), share({ id: "s-3", conversation_id: "c-other" })];
    const page = await open();
    await settled("created Mar 12, 2026");
    expect(page.querySelectorAll(".share")).toHaveLength(2);
    await click(button("Stop sharing"));
    await settled("A new link will have another address.");
    expect(asked).toEqual([]);
    await sure();
    await settled("The link no longer works.");
    expect(asked).toEqual([["DELETE /api/shares/s-2", {}]]);
    expect(page.querySelectorAll(".share")).toHaveLength(1);
    expect(document.activeElement?.getAttribute("aria-label")).toMatch(/^Stop sharing/);
    expect([...page.querySelectorAll(".toast")].map((one) => one.closest("dialog"))).toEqual([
      page.querySelector("dialog"),
    ]);
    await click(button("Stop sharing"));
    await sure();
    await gone(".share");
    expect(document.activeElement?.textContent).toBe("Create link");
  });

  it("are not made of a branch while its answer is being written, which is said before", async () => {
    const live = { run: { ...newRun, status: "running" } } as LiveRun;
    useLiveRuns.setState({ runs: { "c-1": live } });
    await open();
    await settled("Wait until the answer is written.");
    const make = button("Create link");
    expect(make?.getAttribute("aria-disabled")).toBe("true");
    const why = document.getElementById(make?.getAttribute("aria-describedby") ?? "");
    expect(why?.textContent).toBe("Wait until the answer is written.");
    await click(make);
    expect(asked).toEqual([]);
    await act(async () => useLiveRuns.setState({ runs: {} }));
    expect(make?.getAttribute("aria-disabled")).toBe("false");
  });

  it("say why one is not made", async () => {
    const page = await open();
    await settled("Create link");
    refuses = { status: 409, detail: "an answer is being written" };
    await click(button("Create link"));
    await settled("Not created: an answer is being written");
    expect(page.querySelector("dialog [role=alert]")).not.toBeNull();
    expect(address()).toBeNull();
    expect(button("Create link")?.getAttribute("aria-disabled")).toBe("false");
  });

  it("go on where the question is left, and so does the dialog", async () => {
    shares = [share()];
    const page = await open();
    await settled("created Mar 12, 2026");
    await click(button("Stop sharing"));
    await settled("Stop sharing?");
    // What the browser does with the upper one where Escape is pressed.
    await act(async () => page.querySelector<HTMLDialogElement>("dialog dialog")?.close());
    expect(page.querySelectorAll("dialog")).toHaveLength(1);
    expect(page.querySelectorAll(".share")).toHaveLength(1);
    expect(asked).toEqual([]);
  });

  it("that cannot be stopped stay, and say why", async () => {
    shares = [share()];
    const page = await open();
    await settled("created Mar 12, 2026");
    refuses = { status: 409, detail: "held" };
    await click(button("Stop sharing"));
    await sure();
    await settled("The link still works: held");
    expect(page.querySelectorAll(".share")).toHaveLength(1);
  });

  it("are not offered where sharing is switched off", async () => {
    maxDays = 0;
    await open();
    await settled("Sharing is switched off on this server.");
    expect(button("Create link")).toBeUndefined();
  });

  it("leave no dialog behind when it is closed", async () => {
    const page = await open();
    await click(button("Close"));
    expect(page.querySelector("dialog")).toBeNull();
  });

  it("are left with Escape, and the focus is where it was", async () => {
    const page = await open();
    // What the browser does with a modal dialog where Escape is pressed.
    await act(async () => page.querySelector("dialog")?.close());
    expect(page.querySelector("dialog")).toBeNull();
    expect(document.activeElement).toBe(button("Share…"));
  });
});

describe("everything that one shares", () => {
  const show = async () => {
    const page = await render(<MyShares />, queryClient);
    await settled("Shared links");
    return page;
  };

  it("is nothing at first", async () => {
    await show();
    await settled("Nothing is shared.");
  });

  it("leads to its conversations, and is stopped", async () => {
    shares = [share(), share({ id: "s-2", conversation_id: "c-2", title: "Bees" })];
    const page = await show();
    await settled("Bees");
    const links = [...page.querySelectorAll(".share a")].map((one) => one.getAttribute("href"));
    expect(links).toEqual(["/c/c-1", "/c/c-2"]);
    expect(page.textContent).toContain("works until Apr 11, 2026");
    expect(button("Copy link: Bees")).toBeDefined();
    await click(button("Stop sharing: Tides"));
    await sure();
    await gone(".share a[href='/c/c-1']");
    expect(document.activeElement?.getAttribute("aria-label")).toBe("Stop sharing: Bees");
    await click(button("Stop sharing: Bees"));
    await sure();
    await settled("Nothing is shared.");
    expect(document.activeElement?.textContent).toBe("Shared links");
    expect(asked.map(([what]) => what)).toEqual([
      "DELETE /api/shares/s-1",
      "DELETE /api/shares/s-2",
    ]);
  });

  it("says which links are for the members of a project alone", async () => {
    projects = [herons];
    shares = [
      share({ project_id: "p-1" }),
      share({ id: "s-2", title: "Bees", project_id: "p-left" }),
      share({ id: "s-3", title: "Rain" }),
    ];
    const page = await show();
    await settled("only for members of Herons");
    const facts = [...page.querySelectorAll(".share-facts")].map((one) => one.textContent ?? "");
    expect(facts[1]).toMatch(/ · only for members of a project$/);
    expect(facts[2]).not.toContain("only for");
  });

  it("comes in pages", async () => {
    shares = Array.from({ length: 60 }, (_, at) => share({ id: `s-${at}`, title: `Title ${at}` }));
    const page = await show();
    await settled("Title 49");
    expect(page.querySelectorAll(".share")).toHaveLength(50);
    // Made in another tab meanwhile: it pushes a link into the next page that this one has already.
    shares = [share({ id: "s-new", title: "New" }), ...shares];
    await click(button("Show more"));
    await settled("Title 59");
    expect(page.querySelectorAll(".share")).toHaveLength(60);
    expect(button("Show more")).toBeUndefined();
  });
});
