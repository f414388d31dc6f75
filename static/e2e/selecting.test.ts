/** Several conversations at once: chosen in the list, archived, tagged and deleted together. */
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { violations } from "./axe";
import { bothShapes, close, launch, open, phone, send, type Watched } from "./browser";
import { OwnServer } from "./own-server";

let browser: Browser;
let server: OwnServer;
beforeAll(async () => {
  [browser, server] = await Promise.all([launch(), OwnServer.start()]);
});
afterAll(() => Promise.all([browser.close(), server.close()]));

const names = ["Fern", "Gorse", "Heather", "Ivy", "Juniper"];
const list = (page: Page) => page.getByRole("navigation", { name: "Conversations" });
const titles = (page: Page) => list(page).locator(".entry > a .entry-title").allTextContents();
const box = (page: Page, name: string) => list(page).getByRole("checkbox", { name });
const bar = (page: Page) => page.getByRole("toolbar", { name: /^What to do with/ });
const chosen = (page: Page) =>
  list(page).locator(".entry-choice:has(input:checked) .entry-title").allTextContents();
const tool = (page: Page, name: string) => bar(page).getByRole("button", { name, exact: true });
const confirm = (page: Page, title: string, action: string) =>
  page.getByRole("dialog", { name: title }).getByRole("button", { name: action, exact: true });
const focused = (page: Page) =>
  page.evaluate(() => {
    const at = document.activeElement;
    return at?.closest("label")?.textContent ?? at?.getAttribute("aria-label") ?? at?.textContent;
  });

describe.each(bothShapes)("on %s", (_, shape) => {
  let watched: Watched;
  let page: Page;
  beforeEach(async () => {
    watched = await open(browser, server, shape);
    page = watched.page;
    await page.goto("/");
    const old = (await (await page.request.get("/api/conversations")).json()) as { id: string }[];
    for (const { id } of old) {
      await page.request.delete(`/api/conversations/${id}`, { headers: { origin: server.origin } });
    }
    for (const title of names.toReversed()) {
      const made = await send(page, "POST", "/api/conversations", {});
      const { id } = (await made.json()) as { id: string };
      await page.request.fetch(`/api/conversations/${id}`, {
        method: "PATCH",
        data: { title },
        headers: { origin: server.origin },
      });
    }
    await page.reload();
    if (shape.viewport === phone) {
      await page.getByRole("button", { name: "Open the sidebar" }).click();
    }
    await expect.poll(() => titles(page)).toEqual(names);
  });
  afterEach(() => close(watched));

  const select = () => list(page).getByRole("button", { name: "Select", exact: true });

  it("a range is chosen, and deleted after one question that says how many", async () => {
    await select().click();
    await bar(page).getByText("0 selected").waitFor();
    expect(await tool(page, "Delete").isDisabled()).toBe(true);
    await box(page, "Gorse").click();
    await box(page, "Ivy").click({ modifiers: ["Shift"] });
    await expect.poll(() => chosen(page)).toEqual(["Gorse", "Heather", "Ivy"]);
    await box(page, "Heather").click();
    await bar(page).getByText("2 selected").waitFor();
    expect(await violations(page)).toEqual([]);
    await tool(page, "Delete").click();
    await page.getByRole("dialog", { name: "Delete 2 conversations?" }).waitFor();
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await bar(page).getByText("2 selected").waitFor();
    await tool(page, "Delete").click();
    await confirm(page, "Delete 2 conversations?", "Delete").click();
    await page.getByText("2 conversations were deleted.").waitFor();
    await expect.poll(() => titles(page)).toEqual(["Fern", "Heather", "Juniper"]);
    const gone = await page.request.get("/api/conversations?deleted=true&limit=2");
    const deleted = (await gone.json()) as { title: string }[];
    expect(deleted.map(({ title }) => title).sort()).toEqual(["Gorse", "Ivy"]);
    await page.getByRole("button", { name: "Undo" }).click();
    await expect.poll(() => titles(page)).toEqual(names);
  });

  it("by keyboard alone some are tagged, and some archived and taken back", async () => {
    await select().press("Enter");
    await expect.poll(() => focused(page)).toBe("Fern");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Space");
    await page.keyboard.press("Shift+ArrowDown");
    await page.keyboard.press("Shift+ArrowDown");
    await expect.poll(() => chosen(page)).toEqual(["Gorse", "Heather", "Ivy"]);
    await expect.poll(() => focused(page)).toBe("Ivy");
    await tool(page, "Tag").press("Enter");
    const tag = page.getByLabel("A tag for 3 conversations");
    await expect.poll(() => tag.evaluate((it) => it === document.activeElement)).toBe(true);
    expect(await violations(page)).toEqual([]);
    await page.keyboard.type("moor");
    await page.keyboard.press("Enter");
    await page.getByText("3 conversations were tagged.").waitFor();
    await expect
      .poll(() => list(page).locator(".entry-tag").allTextContents())
      .toEqual(["moor", "moor", "moor"]);
    await expect.poll(() => focused(page)).toBe("Select");

    await page.keyboard.press("Enter");
    await expect.poll(() => focused(page)).toBe("Fern");
    await page.keyboard.press("Control+a");
    await bar(page).getByText("5 selected").waitFor();
    await page.keyboard.press("Escape");
    await expect.poll(() => bar(page).count()).toBe(0);
    await expect.poll(() => focused(page)).toBe("Select");
    expect(await titles(page)).toHaveLength(5);

    await page.keyboard.press("Enter");
    await expect.poll(() => focused(page)).toBe("Fern");
    await page.keyboard.press("Space");
    await page.keyboard.press("Shift+ArrowDown");
    await tool(page, "Archive").press("Enter");
    await confirm(page, "Archive 2 conversations?", "Archive").press("Enter");
    await page.getByText("2 conversations were archived.").waitFor();
    await expect.poll(() => titles(page)).toEqual(["Heather", "Ivy", "Juniper"]);
    await page.getByRole("button", { name: "Archived", exact: true }).press("Enter");
    await select().press("Enter");
    await bar(page).getByRole("button", { name: "Select all that are shown" }).press("Enter");
    await tool(page, "Restore").press("Enter");
    await confirm(page, "Restore 2 conversations?", "Restore").press("Enter");
    await page.getByText("2 conversations were restored.").waitFor();
    await list(page).getByText("Nothing is archived.").waitFor();
  });

  it("what fails is named and stays chosen", async () => {
    await page.route("**/api/conversations/*", async (route) => {
      if (route.request().method() !== "DELETE") return route.fallback();
      const answer = await page.request.get(new URL(route.request().url()).pathname);
      const { title } = (await answer.json()) as { title: string };
      if (title !== "Heather") return route.fallback();
      return route.fulfill({
        status: 409,
        contentType: "application/problem+json",
        json: { title: "Conflict", status: 409, detail: "A hold is on it.", type: "held" },
      });
    });
    await select().click();
    await bar(page).getByRole("button", { name: "Select all that are shown" }).click();
    await bar(page).getByText("5 selected").waitFor();
    await tool(page, "Delete").click();
    await confirm(page, "Delete 5 conversations?", "Delete").click();
    await page.getByText("4 conversations were deleted.").waitFor();
    await bar(page).getByText("“Heather”: A hold is on it.").waitFor();
    expect(await chosen(page)).toEqual(["Heather"]);
    await bar(page).getByText("1 selected").waitFor();
    expect(await violations(page)).toEqual([]);
    // The browser reports every refused request; this one was meant.
    const kept = watched.faults.filter((fault) => !/status of 409/.test(fault));
    watched.faults.splice(0, watched.faults.length, ...kept);
    await page.unroute("**/api/conversations/*");
    await tool(page, "Delete").click();
    await confirm(page, "Delete 1 conversation?", "Delete").click();
    await list(page).getByText("Your conversations will be listed here.").waitFor();
  });
});
