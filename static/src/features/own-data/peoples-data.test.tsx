import { act } from "react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Access } from "../../api/own-data";
import { queryClient } from "../../api/queries";
import { button, click, render, settled, type } from "../../test/render";
import { Blocks } from "../admin/blocks";
import { PeoplesData } from "./peoples-data";

const at = "2026-11-01T08:00:00";
const request = (more: Partial<Access> = {}): Access => ({
  id: "q-1",
  user: "ann",
  reason: "Her manager asked",
  hours: 2,
  requested_by: "rita",
  requested_at: at,
  is_open: false,
  reads: [],
  ...more,
});
const project = { project_id: "p-1", owners: ["olga"], created_at: at, days: 30 };

let chosen: number | null;
let holds: string[];
let blocks: string[];
let requests: Access[];
/** The projects of the server, and the conversations of the user. */
let projects: object[];
let readable: object[];
let refuses: object | null;
let asked: [string, unknown][];

/** What the server gives of a list at once. */
const pageOf = (list: object[], query: URLSearchParams) => {
  const from = Number(query.get("offset"));
  return list.slice(from, from + Math.min(500, Number(query.get("limit"))));
};

function answer(
  path: string,
  method: string,
  body: Record<string, unknown>,
  query: URLSearchParams,
): object {
  if (method !== "GET") asked.push([`${method} ${path}`, body]);
  if (path === "/api/user") return { id: "root", is_admin: true };
  if (path === "/api/projects") return { projects: [] };
  if (path === "/api/admin/users") return { users: [] };
  if (path === "/api/admin/retention/projects") {
    return { projects: pageOf(projects, query), total: projects.length };
  }
  if (path === "/api/admin/retention") {
    if (method === "PUT") chosen = body.days as number | null;
    return { days: chosen ?? 0, configured_days: 0, chosen_days: chosen };
  }
  if (path === "/api/admin/holds") {
    if (method === "POST") holds = [...holds, String(body.user)];
    if (method === "DELETE") holds = holds.slice(1);
    const placed = { reason: "Case 7", placed_by: "root", placed_at: at };
    return { holds: holds.map((user) => ({ user, ...placed })) };
  }
  if (path === "/api/admin/blocks") {
    if (method === "POST") blocks = [...blocks, String(body.user)];
    const placed = { reason: "Stolen", blocked_by: "root", blocked_at: at };
    return { blocks: blocks.map((user) => ({ user, ...placed })) };
  }
  if (path.endsWith("/approve")) {
    const expires_at = "2999-01-01T00:00:00";
    const open = { approved_by: "root", approved_at: at, expires_at, is_open: true };
    requests = requests.map((one) => ({ ...one, ...open }));
  }
  if (path.endsWith("/conversations")) {
    const read = { at, by: "root", conversation_id: null };
    requests = requests.map((one) => ({ ...one, reads: [read] }) as Access);
    return { conversations: pageOf(readable, query), total: readable.length };
  }
  return { requests };
}

beforeEach(() => {
  queryClient.clear();
  [chosen, holds, blocks, requests, refuses, asked] = [90, [], [], [], null, []];
  [projects, readable] = [[project], []];
  vi.spyOn(globalThis, "fetch").mockImplementation(async (path, init = {}) => {
    const method = init.method ?? "GET";
    const body = typeof init.body === "string" ? JSON.parse(init.body) : {};
    const refused = method !== "GET" && refuses;
    const url = new URL(String(path), location.origin);
    const said = refused || answer(url.pathname, method, body, url.searchParams);
    return new Response(JSON.stringify(said), {
      status: refused ? 422 : 200,
      headers: { "content-type": refused ? "application/problem+json" : "application/json" },
    });
  });
});
afterEach(() => vi.restoreAllMocks());

const show = async () => {
  const page = await render(<PeoplesData />, queryClient);
  await settled("In force:");
  await settled("There are no holds.");
  return page;
};
const formOf = (name: string) => {
  const form = document.querySelector<HTMLFormElement>(`form[aria-label="${name}"]`);
  if (!form) throw new Error(`there is no form “${name}”`);
  return form;
};
const fields = (name: string) => [...formOf(name).querySelectorAll("input")];
async function send(name: string) {
  const press = formOf(name).querySelector<HTMLButtonElement>("[type=submit]");
  press?.focus();
  await click(press);
}
const wrong = (name: string) =>
  fields(name)
    .filter((field) => field.getAttribute("aria-invalid") === "true")
    .map(
      (field) =>
        document.getElementById(field.getAttribute("aria-describedby")?.split(" ").at(-1) ?? "")
          ?.textContent,
    );
/** In the dialog that asks. */
const inDialog = (label: string) =>
  [...document.querySelectorAll("dialog button")].find((one) => one.textContent === label);

describe("how long conversations are kept", () => {
  const rule = "How long conversations are kept";

  it.each(["abc", "30 days", "1,5", "1.000", "1,000", "-1", "40000"])(
    "“%s” is no rule: nothing is sent",
    async (typed) => {
      await show();
      await type(fields(rule)[0], typed);
      await send(rule);
      expect(asked).toEqual([]);
      expect(wrong(rule)).toHaveLength(1);
      expect(document.activeElement).toBe(fields(rule)[0]);
    },
  );

  it("is saved with the focus where it was, and taken back by an empty field alone", async () => {
    await show();
    expect(fields(rule)[0]?.value).toBe("90");
    await type(fields(rule)[0], " 30 ");
    await send(rule);
    await settled("In force: 30 days");
    expect(document.activeElement?.textContent).toBe("Save");
    expect(fields(rule)[0]?.value).toBe("30");
    await type(fields(rule)[0], "");
    await send(rule);
    expect(asked).toEqual([
      ["PUT /api/admin/retention", { days: 30 }],
      ["PUT /api/admin/retention", { days: null }],
    ]);
  });

  it("is read as strictly for a project", async () => {
    const page = await show();
    await settled("Project of olga");
    const select = page.querySelector("select");
    await act(async () => {
      if (select) select.value = "p-1";
      select?.dispatchEvent(new Event("change", { bubbles: true }));
    });
    const own = "How long conversations in this project are kept";
    await type(fields(own)[0], "abc");
    await send(own);
    expect(asked).toEqual([]);
    expect(wrong(own)).toEqual(["A whole number is needed."]);
  });
});

it("every project can have a rule of its own, however many there are", async () => {
  const one = { ...project, days: null };
  projects = Array.from({ length: 501 }, (_, n) => ({ ...one, project_id: `p-${n}` }));
  const page = await show();
  await settled("No project has a rule of its own.");
  expect(page.querySelectorAll('option[value^="p-"]')).toHaveLength(501);
});

describe("a hold", () => {
  it("needs a user and a reason, and says so in the reader's words", async () => {
    await show();
    await send("New hold");
    expect(wrong("New hold")).toEqual(["This field is required.", "This field is required."]);
    expect(document.activeElement).toBe(fields("New hold")[0]);
    expect(asked).toEqual([]);
    const errors = [{ field: "user", message: "must be the user id of somebody" }];
    refuses = { type: "urn:llm-council:problem:validation", status: 422, errors };
    await type(fields("New hold")[0], "nobody");
    await type(fields("New hold")[1], "Case 7");
    await send("New hold");
    await settled("Nobody with this user id has been here.");
    expect(wrong("New hold")).toHaveLength(1);
  });

  it("is placed once, with the focus at its button, and lifted once that was asked", async () => {
    await show();
    for (const user of ["ann", "ANN "]) {
      await type(fields("New hold")[0], user);
      await type(fields("New hold")[1], "Case 7");
      await send("New hold");
      await settled("Placed by root");
    }
    expect(asked).toHaveLength(1);
    expect(wrong("New hold")).toEqual(["There is a hold on this user’s data already."]);
    const lift = button("Lift the hold on ann");
    lift?.focus();
    await click(lift);
    expect(asked).toHaveLength(1);
    await click(inDialog("Keep the hold"));
    expect(asked).toHaveLength(1);
    lift?.focus();
    await click(lift);
    await click(inDialog("Lift"));
    await settled("There are no holds.");
    expect(asked.at(-1)?.[0]).toBe("DELETE /api/admin/holds");
    expect(document.activeElement?.textContent).toBe("Holds");
  });
});

it("a user is blocked once that was asked", async () => {
  await render(<Blocks />, queryClient);
  await settled("Nobody is blocked.");
  await send("Block a user");
  expect(document.querySelector("dialog")).toBeNull();
  expect(wrong("Block a user")).toHaveLength(2);
  await type(fields("Block a user")[0], "ann");
  await type(fields("Block a user")[1], "Stolen");
  await send("Block a user");
  await settled("Block ann?");
  await settled("Their runs are stopped at once");
  expect(asked).toEqual([]);
  await click(inDialog("Do not block"));
  expect(asked).toEqual([]);
  await send("Block a user");
  await click(inDialog("Block"));
  await settled("Blocked by root");
  expect(asked).toEqual([["POST /api/admin/blocks", { user: "ann", reason: "Stolen" }]]);
});

describe("access to conversations", () => {
  it.each(["abc", "0", "25", "1.5", ""])("is not asked for for “%s” hours", async (hours) => {
    await show();
    for (const [place, text] of ["ann", "Her manager asked", hours].entries()) {
      await type(fields("New request")[place], text);
    }
    await send("New request");
    expect(asked).toEqual([]);
    expect(document.activeElement).toBe(fields("New request")[2]);
  });

  it("that is approved goes on where it is read, and what is read is told at once", async () => {
    requests = [request()];
    const page = await show();
    const approve = button("Approve the access to ann");
    approve?.focus();
    await click(approve);
    await settled("Nothing was read.");
    expect(document.activeElement?.textContent).toBe("Read the conversations of ann");
    const details = page.querySelector("details");
    await act(async () => {
      if (details) details.open = true;
      details?.dispatchEvent(new Event("toggle"));
    });
    await settled("Read once");
    expect(page.textContent).not.toContain("Nothing was read.");
  });

  it("leads to all that the user has, page by page", async () => {
    requests = [request({ approved_by: "root", approved_at: at, is_open: true })];
    const titled = (n: number) => ({ id: `c-${n}`, title: `No ${n}.`, updated_at: at });
    readable = Array.from({ length: 501 }, (_, n) => titled(n));
    const page = await show();
    await settled("Read the conversations of ann");
    const details = [...page.querySelectorAll("details")].at(-1);
    await act(async () => {
      if (details) details.open = true;
      details?.dispatchEvent(new Event("toggle"));
    });
    await settled("500 of 501");
    await click(button("Older conversations"));
    await settled("No 500.");
    expect(button("Older conversations")).toBeUndefined();
  });

  it("that is ended keeps the focus in its row", async () => {
    requests = [request({ requested_by: "root" })];
    const page = await show();
    const end = button("End it: ann");
    end?.focus();
    await click(end);
    await settled("End the access to ann?");
    requests = [request({ requested_by: "root", revoked_by: "root", revoked_at: at })];
    await click([...page.querySelectorAll("dialog button")].at(-1));
    await settled("ended by root");
    expect(document.activeElement?.tagName).toBe("LI");
    expect(document.activeElement?.textContent).toContain("Her manager asked");
  });
});
