import { act } from "react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { queryClient } from "../../api/queries";
import type { Token } from "../../api/types";
import { button, click, render, settled, type } from "../../test/render";
import { Tokens } from "./tokens";

const token = (name: string, permissions: string[]): Token => ({
  id: `t-${name}`,
  name,
  permissions,
  created_at: "2026-03-12T09:30:00.000000",
});

/** What the server has, and what was asked of it. */
let stored: Token[];
let sent: unknown[];
/** How many it gives at once. */
let most: number;

beforeEach(() => {
  queryClient.clear();
  stored = [];
  sent = [];
  most = 500;
  vi.spyOn(globalThis, "fetch").mockImplementation(async (path, init = {}) => {
    const { pathname, searchParams } = new URL(String(path), location.origin);
    if (pathname === "/api/user") return Response.json({ id: "ann", is_admin: false });
    if (init.method === "DELETE") {
      stored = stored.filter(({ id }) => !pathname.endsWith(id));
      return Response.json({ status: "ok" });
    }
    if (init.method !== "POST") {
      const offset = Number(searchParams.get("offset"));
      const headers = { "x-total-count": String(stored.length) };
      return Response.json(stored.slice(offset, offset + most), { headers });
    }
    const body = JSON.parse(String(init.body));
    sent.push(body);
    const made = token(body.name, body.permissions);
    stored = [...stored, made];
    return Response.json({ ...made, token: "lc_secret" });
  });
});
afterEach(() => vi.restoreAllMocks());

/** Each token with what it may do. */
const listed = (page: HTMLElement) =>
  [...page.querySelectorAll(".tokens li")].map((row) => [
    row.querySelector(".member-name")?.textContent,
    row.querySelector(".model-id")?.textContent?.split(" · ")[0],
  ]);

it("the list says what each token may do", async () => {
  stored = [
    token("laptop", ["read", "ask"]),
    token("monitor", ["read"]),
    token("button", ["ask"]),
    { ...token("lost", ["read"]), revoked_at: "2026-03-13T09:30:00.000000" },
  ];
  const page = await render(<Tokens />, queryClient);
  await settled("monitor");
  expect(listed(page)).toEqual([
    ["laptop", "may read and ask"],
    ["monitor", "may only read"],
    ["button", "may only ask"],
  ]);
});

it("all tokens are listed, in however many pages the server gives them", async () => {
  most = 2;
  stored = ["one", "two", "three", "four", "five"].map((name) => token(name, ["read"]));
  const page = await render(<Tokens />, queryClient);
  await settled("five");
  expect(listed(page).map(([name]) => name)).toEqual(["one", "two", "three", "four", "five"]);
});

it("a token is revoked after a question, and no double click answers that", async () => {
  stored = [token("laptop", ["read"]), token("monitor", ["read"])];
  const page = await render(<Tokens />, queryClient);
  await settled("monitor");
  const revoke = button("Revoke laptop");
  revoke?.focus();
  await click(revoke);
  await click(revoke);
  await settled("Revoke “laptop”?");
  expect(stored).toHaveLength(2);
  await click([...page.querySelectorAll("dialog button")].at(-1));
  await vi.waitFor(() => expect(listed(page).map(([name]) => name)).toEqual(["monitor"]));
  expect(document.activeElement).toBe(button("Revoke monitor"));
});

it("a new token is shown once, and has the focus until that is done", async () => {
  const page = await render(<Tokens />, queryClient);
  await settled("There are no tokens yet.");
  await type(page.querySelector("input"), "laptop");
  await click(button("Create token"));
  await settled("“laptop” was created.");
  expect(document.activeElement?.textContent).toContain("Copy it now");
  expect(document.activeElement?.querySelector("code")?.textContent).toBe("lc_secret");
  await click(button("Done"));
  expect(page.querySelector(".secret")).toBeNull();
  expect(document.activeElement?.textContent).toBe("API tokens");
});

it("a new token may read and ask, unless it is chosen that it only reads", async () => {
  const page = await render(<Tokens />, queryClient);
  await settled("There are no tokens yet.");
  const make = async (name: string) => {
    await type(page.querySelector("input"), name);
    await click(button("Create token"));
    await settled(`“${name}” was created.`);
    await settled("Create token");
  };
  await make("laptop");
  const scope = page.querySelector<HTMLSelectElement>("#token-scope");
  expect([...(scope?.options ?? [])].map(({ text }) => text)).toEqual([
    "Read and ask",
    "Read only",
  ]);
  await act(async () => {
    if (scope) scope.value = "1";
    scope?.dispatchEvent(new Event("change", { bubbles: true }));
  });
  await make("monitor");
  await settled("may only read");
  expect(sent).toEqual([
    { name: "laptop", expires_in_days: 90, permissions: ["read", "ask"] },
    { name: "monitor", expires_in_days: 90, permissions: ["read"] },
  ]);
});
