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

beforeEach(() => {
  queryClient.clear();
  stored = [];
  sent = [];
  vi.spyOn(globalThis, "fetch").mockImplementation(async (path, init = {}) => {
    const { pathname } = new URL(String(path), location.origin);
    if (pathname === "/api/user") return Response.json({ id: "ann", is_admin: false });
    if (init.method !== "POST") return Response.json(stored);
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
