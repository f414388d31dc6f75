/** Folders of the list: made, filled by menu, by keys, by dragging and several at once, renamed, deleted. */
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

const names = ["Fern", "Gorse", "Heather", "Ivy"];
const list = (page: Page) => page.getByRole("navigation", { name: "Conversations" });
const folders = (page: Page) => list(page).getByRole("region", { name: "Folders" });
const row = (page: Page, name: string) =>
  folders(page).getByRole("button", { name: new RegExp(`^${name}\\b`) });
/** What is seen of the list, folders with their number. */
const seen = (page: Page) =>
  list(page)
    .locator(".folder-toggle, .entry > a[href^='/c/']")
    .evaluateAll((all) =>
      all.map((one) => {
        const title = one.querySelector(".entry-title")?.textContent;
        const count = one.querySelector(".folder-count > span")?.textContent;
        return count ? `${title} (${count})` : title;
      }),
    );
const focused = (page: Page) =>
  page.evaluate(() => {
    const at = document.activeElement;
    return at?.getAttribute("aria-label") ?? at?.querySelector(".entry-title")?.textContent;
  });

describe.each(bothShapes)("on %s", (_, shape) => {
  const isPhone = shape.viewport === phone;
  let watched: Watched;
  let page: Page;
  beforeEach(async () => {
    watched = await open(browser, server, shape);
    page = watched.page;
    await page.goto("/");
    const at = async (path: string) => (await page.request.get(path)).json();
    for (const { id } of (await at("/api/conversations")) as { id: string }[]) {
      await send(page, "DELETE", `/api/conversations/${id}`);
    }
    const old = (await at("/api/folders")) as { folders: { id: string }[] };
    for (const { id } of old.folders) await send(page, "DELETE", `/api/folders/${id}`);
    for (const title of names.toReversed()) {
      const made = await send(page, "POST", "/api/conversations", {});
      const { id } = (await made.json()) as { id: string };
      const headers = { origin: server.origin };
      const data = { title };
      await page.request.fetch(`/api/conversations/${id}`, { method: "PATCH", data, headers });
    }
    await again();
    await expect.poll(() => seen(page)).toEqual(names);
  });
  afterEach(() => close(watched));

  async function again() {
    await page.reload();
    if (isPhone) await page.getByRole("button", { name: "Open the sidebar" }).click();
  }
  async function choose(menu: string, action: string) {
    await list(page).getByRole("button", { name: menu }).press("Enter");
    await page.getByRole("menuitem", { name: action }).press("Enter");
  }
  const dialog = () => page.getByRole("dialog", { name: "Move to folder" });

  /** The first folder, with the first conversation in it. */
  async function begin() {
    await choose("More for Fern", "Move to folder…");
    await dialog().getByLabel("Name of the new folder").fill("Moor");
    await page.keyboard.press("Enter");
    await page.getByText("Moved 1 conversation to the folder Moor.").waitFor();
    await expect.poll(() => seen(page)).toEqual(["Moor (1)", "Gorse", "Heather", "Ivy"]);
  }

  it("by keyboard alone one is made, filled, opened, renamed and deleted", async () => {
    await choose("More for Fern", "Move to folder…");
    await dialog().getByLabel("Name of the new folder").waitFor();
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await expect.poll(() => focused(page)).toBe("More for Fern");
    await begin();
    // It is in a closed one, which has the focus.
    await expect.poll(() => focused(page)).toBe("Moor");
    await page.keyboard.press("ArrowRight");
    await expect.poll(() => seen(page)).toEqual(["Moor (1)", "Fern", "Gorse", "Heather", "Ivy"]);
    await page.keyboard.press("ArrowDown");
    await expect.poll(() => focused(page)).toBe("Fern");
    await page.keyboard.press("ArrowDown");
    await expect.poll(() => focused(page)).toBe("Gorse");
    expect(await violations(page)).toEqual([]);
    await choose("More for Gorse", "Move to folder…");
    await dialog().getByRole("radio", { name: "No folder" }).waitFor();
    await page.keyboard.press("ArrowDown");
    expect(await dialog().getByRole("radio", { name: "Moor" }).isChecked()).toBe(true);
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press("Enter");
    await expect.poll(() => seen(page)).toEqual(["Moor (2)", "Fern", "Gorse", "Heather", "Ivy"]);
    await expect.poll(() => focused(page)).toBe("More for Gorse");

    await again();
    await expect.poll(() => seen(page)).toEqual(["Moor (2)", "Fern", "Gorse", "Heather", "Ivy"]);
    await choose("More for the folder Moor", "Rename");
    const box = page.getByRole("dialog", { name: "Rename folder" }).getByRole("textbox");
    await box.fill("Heath");
    await page.keyboard.press("Enter");
    await row(page, "Heath").waitFor();
    await expect.poll(() => focused(page)).toBe("More for the folder Heath");
    await row(page, "Heath").press("ArrowLeft");
    await expect.poll(() => seen(page)).toEqual(["Heath (2)", "Heather", "Ivy"]);
    await again();
    await expect.poll(() => seen(page)).toEqual(["Heath (2)", "Heather", "Ivy"]);
    await choose("More for the folder Heath", "Delete folder…");
    await page.getByText("The conversations in it stay, in no folder.").waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole("button", { name: "Delete folder", exact: true }).press("Enter");
    await expect.poll(() => seen(page)).toEqual(names);
  });

  it("several are put there at once, and brought back at once", async () => {
    await begin();
    await list(page).getByRole("button", { name: "Select", exact: true }).press("Enter");
    await list(page).getByRole("checkbox", { name: "Heather" }).check();
    await list(page).getByRole("checkbox", { name: "Ivy" }).check();
    await list(page).getByRole("button", { name: "Move to folder…" }).click();
    await dialog().getByRole("radio", { name: "Moor" }).check();
    await dialog().getByRole("button", { name: "Move", exact: true }).click();
    await page.getByText("Moved 2 conversations to the folder Moor.").waitFor();
    await expect.poll(() => seen(page)).toEqual(["Moor (3)", "Gorse"]);
    await page.getByRole("button", { name: "Undo" }).last().click();
    await expect.poll(() => seen(page)).toEqual(["Moor (1)", "Gorse", "Heather", "Ivy"]);
  });

  it("what is pinned stands above its folder, and in it", async () => {
    await begin();
    await row(page, "Moor").press("Enter");
    await expect.poll(() => seen(page)).toEqual(["Moor (1)", "Fern", "Gorse", "Heather", "Ivy"]);
    await choose("More for Fern", "Pin");
    await expect
      .poll(() => seen(page))
      .toEqual(["Fern", "Moor (1)", "Fern", "Gorse", "Heather", "Ivy"]);
    expect(await violations(page)).toEqual([]);
    const pinned = list(page).getByRole("region", { name: "Pinned", exact: true });
    await pinned.getByRole("button", { name: "More for Fern" }).press("Enter");
    await page.getByRole("menuitem", { name: "Unpin" }).press("Enter");
    await expect.poll(() => seen(page)).toEqual(["Moor (1)", "Fern", "Gorse", "Heather", "Ivy"]);
    // With a tag, or archived, it stands in the list like any other.
    await choose("More for Fern", "Archive");
    await expect.poll(() => seen(page)).toEqual(["Moor (0)", "Gorse", "Heather", "Ivy"]);
    await page.getByRole("button", { name: "Archived", exact: true }).click();
    await expect.poll(() => seen(page)).toEqual(["Fern"]);
    await choose("More for Fern", "Restore");
    await page.getByRole("button", { name: "Back from Archived" }).click();
    await expect.poll(() => seen(page)).toEqual(["Moor (1)", "Fern", "Gorse", "Heather", "Ivy"]);
  });

  // A finger scrolls: on a phone the menu is the way.
  if (isPhone) return;
  it("a conversation is dragged into one, out of it, and to a project", async () => {
    await begin();
    const entry = (title: string) => list(page).locator(".entry > a", { hasText: title });
    await entry("Ivy").dragTo(row(page, "Moor"));
    await page.getByText("Moved 1 conversation to the folder Moor.").last().waitFor();
    await expect.poll(() => seen(page)).toEqual(["Moor (2)", "Gorse", "Heather"]);
    await row(page, "Moor").click();
    await expect.poll(() => seen(page)).toEqual(["Moor (2)", "Fern", "Ivy", "Gorse", "Heather"]);
    await entry("Ivy").dragTo(entry("Gorse"));
    await page.getByText("1 conversation is in no folder any more.").waitFor();
    await expect.poll(() => seen(page)).toEqual(["Moor (1)", "Fern", "Gorse", "Heather", "Ivy"]);

    await send(page, "POST", "/api/projects", { name: "Bogs" });
    await again();
    await entry("Ivy").dragTo(list(page).getByRole("link", { name: "Bogs" }));
    const move = page.getByRole("dialog", { name: "Move to project" });
    await move.getByText("Everybody in the project can read the conversation.").waitFor();
    expect(await move.getByRole("radio", { name: "Bogs" }).isChecked()).toBe(true);
    expect(await violations(page)).toEqual([]);
    await move.getByRole("button", { name: "Move", exact: true }).click();
    await page.getByText("“Ivy” is in the project Bogs now.").waitFor();
  });
});
