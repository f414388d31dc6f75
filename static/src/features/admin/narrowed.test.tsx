import { act } from "react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { queryClient } from "../../api/queries";
import { button, click, render, settled } from "../../test/render";
import { Audit } from "./audit";
import { Runs } from "./runs";
import { Usage } from "./usage";
import { Users } from "./users";

let asked: string[];
/** The next answers take their time. */
let isSlow: boolean;
/** What the report of usage has. */
let rows: object[];
const row = (id: string) => ({
  id,
  email: null,
  name: null,
  groups: ["staff"],
  is_admin: id === "root",
  created_at: "2026-11-01T08:00:00",
  last_seen_at: "2026-11-02T08:00:00",
});

beforeEach(() => {
  history.replaceState(null, "", "/admin");
  queryClient.clear();
  asked = [];
  rows = [];
  isSlow = false;
  vi.stubGlobal("fetch", (address: string) => {
    asked.push(address);
    if (isSlow) return new Promise<Response>(() => {});
    const { pathname, searchParams } = new URL(address, "http://host.test");
    const answers: Record<string, object> = {
      "/api/admin/usage": { by: searchParams.get("by"), rows },
      "/api/admin/runs": { runs: [] },
      "/api/admin/audit": { entries: [] },
      "/api/admin/blocks": { blocks: [] },
      "/api/user": { id: "root", is_admin: true },
      "/api/admin/users": { users: [row("ann"), row("root")] },
    };
    return Promise.resolve(Response.json(answers[pathname] ?? {}));
  });
});

const box = (page: HTMLElement, label: string) => {
  const found = [...page.querySelectorAll("label")].find((one) => one.textContent === label);
  return page.querySelector<HTMLInputElement>(`[id="${found?.htmlFor}"]`) as HTMLInputElement;
};
const put = (input: HTMLInputElement, text: string) => {
  input.value = text;
  input.dispatchEvent(new InputEvent("input", { bubbles: true, inputType: "insertText" }));
};
const enter = (input: HTMLInputElement) =>
  input.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
const lastOf = (path: string) => asked.filter((address) => address.startsWith(path)).at(-1) ?? "";

describe("lists of the administration", () => {
  it("are narrowed down to a person once their name is typed to its end", async () => {
    const page = await render(<Usage />);
    await settled("Nobody asked anything in this period.");
    const before = asked.length;
    put(box(page, "User"), "an");
    put(box(page, "User"), "ann");
    expect(asked.length).toBe(before);
    await act(() => enter(box(page, "User")));
    await settled("ann asked nothing in this period.");
    expect(lastOf("/api/admin/usage")).toContain("user=ann");
    expect(location.search).toContain("user=ann");
    expect(page.querySelector("a[download]")?.getAttribute("href")).toContain("user=ann");
  });

  it("are summed up, but for runs by model: one that asked two models stands in two lines", async () => {
    const line = (name: string, runs: number) => ({
      name,
      runs,
      calls: 2 * runs,
      failed_calls: 0,
      prompt_tokens: 10,
      completion_tokens: 5,
      cost_usd: 1,
      unpriced_calls: 0,
      estimated_calls: 0,
    });
    rows = [line("ann", 3), line("root", 4)];
    const page = await render(<Usage />, queryClient);
    await settled("Total");
    const total = () => page.querySelector("tfoot td:nth-of-type(2)")?.textContent;
    expect(total()).toBe("7");
    await click(button("Model"));
    await settled("Usage by model");
    expect(total()).toBe("");
  });

  it("are so by a link", async () => {
    history.replaceState(null, "", "/admin/runs?user=a%26b");
    const runs = await render(<Runs />);
    await settled("a&b has asked nothing yet.");
    expect(lastOf("/api/admin/runs")).toContain("user=a%26b");
    expect(box(runs, "User").value).toBe("a&b");
    history.replaceState(null, "", "/admin/audit?user=ann&action=token&target=x");
    const audit = await render(<Audit />);
    await settled("No entry matches.");
    expect(lastOf("/api/admin/audit")).toMatch(/user=ann&action=token&target=x/);
    expect(box(audit, "Action").value).toBe("token");
  });

  it("keep in the address what they are grouped by, and that only failures count", async () => {
    await render(<Usage />);
    await click(button("Day"));
    await settled("Nobody asked anything in this period.");
    expect(location.search).toBe("?by=day");
    expect(lastOf("/api/admin/usage")).toContain("by=day");
    history.replaceState(null, "", "/admin/runs?failures=true");
    const runs = await render(<Runs />);
    await settled("No run had a failure.");
    expect(lastOf("/api/admin/runs")).toContain("failures=true");
    const tick = runs.querySelector<HTMLInputElement>("[type=checkbox]");
    expect(tick?.checked).toBe(true);
    await click(tick);
    await settled("Nobody has asked anything yet.");
    expect(location.search).toBe("");
  });

  it("say nothing of another person before that is known", async () => {
    history.replaceState(null, "", "/admin/runs?user=ann");
    const page = await render(<Runs />, queryClient);
    await settled("ann has asked nothing yet.");
    isSlow = true;
    put(box(page, "User"), "bob");
    await act(() => enter(box(page, "User")));
    expect(location.search).toBe("?user=bob");
    expect(page.textContent).not.toContain("has asked nothing yet.");
  });

  it("lead from a person to what is theirs, and say who administers", async () => {
    const page = await render(<Users />);
    await settled("2 users");
    const [, ann, root] = [...page.querySelectorAll("tr")];
    expect(
      [...(ann?.querySelectorAll("a") ?? [])].map((link) => link.getAttribute("href")),
    ).toEqual(["/admin?user=ann", "/admin/runs?user=ann", "/admin/audit?user=ann"]);
    expect(ann?.textContent).toContain("staff");
    expect(ann?.textContent).not.toContain("administrator");
    expect(root?.textContent).toContain("administrator");
  });

  it("begin to block a person, but not oneself, and ask why", async () => {
    const page = await render(<Users />, queryClient);
    await settled("2 users");
    await settled("Nobody is blocked.");
    const blocking = [...page.querySelectorAll("td button")];
    expect(blocking.map((one) => one.getAttribute("aria-label"))).toEqual(["Block ann…"]);
    await click(blocking[0]);
    expect(box(page, "User").value).toBe("ann");
    expect(document.activeElement).toBe(box(page, "Reason"));
  });
});
