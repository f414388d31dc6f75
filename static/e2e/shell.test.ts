/** What surrounds a conversation: the sidebar, the keys, and what leaves the page. */
import { readFile } from "node:fs/promises";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { violations } from "./axe";
import {
  ask,
  bothShapes,
  close,
  finalAnswer,
  launch,
  open,
  patience,
  phone,
  send,
  type Watched,
  waitForEnd,
  wide,
  withConversation,
} from "./browser";
import { OwnServer } from "./own-server";

let browser: Browser;
let server: OwnServer;
/** Conversations to find again, the newest first in the list. */
const questions = ["Why is heather purple?", "Why is moss green?", "Why is gorse yellow?"];
const paths: string[] = [];
beforeAll(async () => {
  [browser, server] = await Promise.all([launch(), OwnServer.start()]);
  const watched = await open(browser, server);
  for (const question of questions) {
    await ask(watched.page, question);
    await waitForEnd(watched.page);
    paths.push(new URL(watched.page.url()).pathname);
  }
  await close(watched);
});
afterAll(() => Promise.all([browser.close(), server.close()]));

const path = (at: number) => paths[at] ?? "";
const list = (page: Page) => page.getByRole("navigation", { name: "Conversations" });
const titles = (page: Page) => list(page).locator(".entry > a");
const pinned = (page: Page) =>
  list(page).getByRole("region", { name: "Pinned", exact: true }).locator(".entry > a");
// On a phone the wide screen's sidebar is there, and hidden.
const search = (page: Page) => page.getByRole("searchbox", { name: "Search conversations" });
const focused = (page: Page) =>
  page.evaluate(() => {
    const at = document.activeElement;
    return at?.getAttribute("aria-label") ?? at?.textContent ?? "";
  });

describe.each(bothShapes)("on %s", (_, shape) => {
  const isPhone = shape.viewport === phone;
  let watched: Watched;
  let page: Page;
  beforeEach(async () => {
    watched = await open(browser, server, { ...shape, acceptDownloads: true });
    page = watched.page;
  });
  afterEach(() => close(watched));

  async function showSidebar() {
    if (isPhone) await page.getByRole("button", { name: "Open the sidebar" }).click();
    await titles(page).first().waitFor();
  }

  it("a conversation is archived, read where it is, and taken back", async () => {
    await page.goto(path(0));
    await showSidebar();
    const title = (await titles(page).last().textContent()) ?? "";
    const entry = list(page).getByRole("listitem").filter({ hasText: title });
    if (!isPhone) await entry.hover();
    await entry.getByRole("button", { name: `More for ${title}` }).click();
    await page.getByRole("menuitem", { name: "Archive" }).waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole("menuitem", { name: "Archive" }).click();
    await expect.poll(() => titles(page).count()).toBe(2);
    await page.getByRole("button", { name: "Archived", exact: true }).click();
    await expect.poll(() => titles(page).count()).toBe(1);
    expect(await violations(page)).toEqual([]);
    await titles(page).first().click();
    await page.getByText("This conversation is archived.").waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole("button", { name: "Restore" }).click();
    await expect.poll(() => page.getByText("This conversation is archived.").count()).toBe(0);
    if (isPhone) {
      await showSidebar();
    } else {
      await page.getByText("Nothing is archived.").waitFor();
      await page.getByRole("button", { name: "Back from Archived" }).click();
    }
    await expect.poll(() => titles(page).count()).toBe(3);
  });

  it("a conversation is pinned, is so after a reload, and no longer once unpinned or archived", async () => {
    await page.goto(path(0));
    await showSidebar();
    const title = (await titles(page).last().textContent()) ?? "";
    const more = `More for ${title}`;
    const choose = async (action: string) => {
      const entry = list(page).getByRole("listitem").filter({ hasText: title });
      if (!isPhone) await entry.hover();
      await entry.getByRole("button", { name: more }).click();
      await page.getByRole("menuitem", { name: action, exact: true }).click();
    };
    await choose("Pin");
    await expect.poll(() => pinned(page).allTextContents()).toEqual([title]);
    await expect.poll(() => titles(page).first().textContent()).toBe(title);
    await expect.poll(() => titles(page).count()).toBe(3);
    await expect.poll(() => focused(page)).toBe(more);
    expect(await violations(page)).toEqual([]);

    await page.reload();
    await showSidebar();
    await expect.poll(() => pinned(page).allTextContents()).toEqual([title]);
    await choose("Unpin");
    await expect.poll(() => pinned(page).count()).toBe(0);
    await expect.poll(() => titles(page).count()).toBe(3);
    await expect.poll(() => focused(page)).toBe(more);

    await choose("Pin");
    await expect.poll(() => pinned(page).allTextContents()).toEqual([title]);
    await choose("Archive");
    await expect.poll(() => titles(page).count()).toBe(2);
    await page.getByRole("button", { name: "Archived", exact: true }).click();
    await expect.poll(() => titles(page).allTextContents()).toEqual([title]);
    await choose("Restore");
    await page.getByText("Nothing is archived.").waitFor();
    await page.reload();
    await showSidebar();
    await expect.poll(() => titles(page).count()).toBe(3);
    await expect.poll(() => pinned(page).count()).toBe(0);
  });

  it("a search marks its words, and opens at the message that holds them", async () => {
    await page.goto("/");
    await showSidebar();
    await search(page).fill("moss");
    const hit = page.locator(".hits .entry > a").first();
    await hit.waitFor();
    expect(await hit.locator("mark").first().textContent()).toMatch(/^moss$/i);
    expect(await violations(page)).toEqual([]);
    await hit.click();
    await page.waitForURL(`**${path(1)}`);
    await expect
      .poll(() =>
        page.evaluate(() => [...(CSS.highlights.get("found") ?? [])].map((range) => `${range}`)),
      )
      .toContainEqual(expect.stringMatching(/^moss$/i));
    const marked = await page.evaluate(() => {
      const [range] = CSS.highlights.get("found") ?? [];
      const box = range instanceof Range ? range.getBoundingClientRect() : null;
      return box && box.top > 0 && box.bottom < innerHeight;
    });
    expect(marked).toBe(true);
    await page.goBack();
    await showSidebar();
    await search(page).fill("nosuchwordanywhere");
    await page.getByText("Nothing found for").waitFor();
    expect(await violations(page)).toEqual([]);
  });

  it("the head of a conversation is one line, and its tags another", async () => {
    await page.goto(path(2));
    await finalAnswer(page).waitFor();
    const head = page.locator(".conversation-head");
    const height = async () => (await head.boundingBox())?.height ?? Number.NaN;
    expect(await height()).toBeLessThan(88);
    const before = await height();
    const tag = `heather-${isPhone ? "phone" : "wide"}`;
    await withConversation(page, "Tag");
    await page.getByLabel("New tag").fill(tag);
    await page.getByLabel("New tag").press("Enter");
    const remove = page.getByRole("button", { name: `Remove the tag ${tag}` });
    await remove.waitFor();
    const begun = isPhone ? "More for this conversation" : "Tag";
    await expect.poll(() => focused(page)).toBe(begun);
    expect(await violations(page)).toEqual([]);
    if (isPhone) {
      expect(await head.getByRole("button", { name: "Tag", exact: true }).count()).toBe(0);
      await page.getByRole("button", { name: begun }).press("Enter");
      await page.getByRole("menuitem", { name: "Export: Markdown" }).waitFor();
      expect(await violations(page)).toEqual([]);
      await page.keyboard.press("Escape");
    }
    // The tests after this one read the list: the tag is to be gone there as well.
    const stored = async () => {
      const id = path(2).replace("/c/", "");
      return (await (await page.request.get(`/api/conversations/${id}`)).json()).tags;
    };
    await remove.press("Enter");
    await expect.poll(() => remove.count()).toBe(0);
    await expect.poll(stored).toEqual([]);
    await expect.poll(height).toBe(before);
    await expect.poll(() => focused(page)).toBe(begun);
    const { width } = page.viewportSize() ?? wide;
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(
      width,
    );
  });

  it("a conversation is exported as Markdown and as JSON", async () => {
    await page.goto(path(2));
    await finalAnswer(page).waitFor();
    for (const [name, inside] of [
      ["Markdown", /^# /m],
      ["JSON", /"messages"/],
    ] as const) {
      await withConversation(page, "Export");
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("menuitem", { name }).click(),
      ]);
      const text = await readFile(await download.path(), "utf8");
      expect(text).toMatch(inside);
      expect(text).toContain(questions[2]);
    }
  });

  it("is laid out for paper: light, whole, and without what is pressed", async () => {
    await page.emulateMedia({ colorScheme: "dark" });
    await page.goto(path(2));
    await finalAnswer(page).waitFor();
    await page.evaluate(() => {
      window.print = () => {
        // What the browser does while its dialog is open.
        document.documentElement.dataset.printed = "yes";
        dispatchEvent(new Event("beforeprint"));
      };
    });
    await withConversation(page, "Export");
    await page.getByRole("menuitem", { name: "Print or PDF" }).click();
    await page.locator("html[data-printed=yes]").waitFor();
    await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
    await page.emulateMedia({ media: "print", colorScheme: "dark" });
    await page.getByText("By stage").or(page.locator(".costs")).first().waitFor();
    expect(await page.locator(".answer").count()).toBeGreaterThan(1);
    expect(await page.locator(".composer").isVisible()).toBe(false);
    expect(await page.locator(".shell > .sidebar").isVisible()).toBe(false);
    expect(await page.locator(".answer-foot").first().isVisible()).toBe(false);
    const ink = await page.evaluate(() => getComputedStyle(document.body).color);
    expect(ink).toBe("rgb(26, 32, 28)");
    await page.evaluate(() => dispatchEvent(new Event("afterprint")));
    await page.emulateMedia({ media: "screen" });
    await page.locator(".composer").waitFor();
  });
});

it.each(bothShapes)(
  "arrows bring back what was asked, and lose nothing, on %s",
  async (_, shape) => {
    const watched = await open(browser, server, shape);
    const { page } = watched;
    const questions = [`Why is sorrel red? ${Date.now()}`, "And in the shade?"] as const;
    await ask(page, questions[0]);
    await waitForEnd(page);
    const box = page.getByLabel("Your question");
    await box.fill(questions[1]);
    await page.getByRole("button", { name: "Ask", exact: true }).click();
    await page.getByRole("button", { name: "Copy answer" }).nth(1).waitFor({ timeout: patience });
    const pressed = async (...keys: string[]) => {
      for (const key of keys) await box.press(key);
      return box.inputValue();
    };
    const goThrough = async () => {
      expect(await pressed("ArrowUp")).toBe(questions[1]);
      expect(await pressed("ArrowUp")).toBe(questions[0]);
      expect(await pressed("ArrowUp")).toBe(questions[0]);
      expect(await pressed("ArrowDown")).toBe(questions[1]);
      expect(await pressed("ArrowDown")).toBe("");
      expect(await pressed("ArrowUp")).toBe(questions[1]);
      await box.press("End");
      await box.pressSequentially(" Still?");
      expect(await pressed("ArrowUp", "ArrowDown", "ArrowUp")).toBe(`${questions[1]} Still?`);
      await box.fill("");
    };
    await goThrough();
    const path = new URL(page.url()).pathname;
    await page.goto("/");
    await box.waitFor();
    await goThrough();
    const api = path.replace("/c/", "/api/conversations/");
    await page.request.delete(api, { headers: { origin: server.origin } });
    await close(watched);
  },
);

it.each(bothShapes)(
  "a conversation that is asked in again stands at the top, on %s",
  async (_, shape) => {
    const watched = await open(browser, server, shape);
    const { page } = watched;
    await page.goto("/");
    const made: string[] = [];
    for (const content of ["Why is thyme grey?", "Why is broom yellow?"]) {
      const answer = await send(page, "POST", "/api/conversations", {});
      const { id } = (await answer.json()) as { id: string };
      await send(page, "POST", `/api/conversations/${id}/message`, { content });
      made.push(`/c/${id}`);
    }
    const first = () => titles(page).first().getAttribute("href");
    const showSidebar = async () => {
      if (shape.viewport === phone) {
        await page.getByRole("button", { name: "Open the sidebar" }).click();
      }
      await titles(page).first().waitFor();
    };
    await page.goto(made[0] ?? "");
    await finalAnswer(page).waitFor();
    await showSidebar();
    await expect.poll(first).toBe(made[1]);
    await page.keyboard.press("Escape");
    await page.getByLabel("Your question").fill("And in winter?");
    await page.getByRole("button", { name: "Ask", exact: true }).click();
    await page.getByRole("button", { name: "Copy answer" }).nth(1).waitFor({ timeout: patience });
    await showSidebar();
    await expect.poll(first).toBe(made[0]);
    expect(await violations(page)).toEqual([]);
    for (const path of made) {
      const api = path.replace("/c/", "/api/conversations/");
      await page.request.delete(api, { headers: { origin: server.origin } });
    }
    await close(watched);
  },
);

it("a search opens far up in a long conversation, and stays where it found something", async () => {
  const watched = await open(browser, server, { viewport: wide });
  const { page } = watched;
  await page.goto("/");
  const made = await send(page, "POST", "/api/conversations", {});
  const { id } = (await made.json()) as { id: string };
  for (let turn = 1; turn <= 8; turn += 1) {
    const content = turn === 3 ? "Where do cormorants nest?" : `What of question ${turn}?`;
    await send(page, "POST", `/api/conversations/${id}/message`, { content });
  }
  await search(page).fill("cormorants");
  await page.locator(".hits .entry > a").first().click();
  const question = page.locator(".question").getByText("Where do cormorants nest?");
  await question.waitFor();
  const top = async () => (await question.boundingBox())?.y ?? -1;
  const inSight = async () => (await top()) > 0 && (await top()) < wide.height;
  await expect.poll(inSight).toBe(true);
  await page.locator(".turn").nth(2).getByRole("button", { name: "Copy answer" }).waitFor();
  await expect.poll(inSight).toBe(true);
  const marks = () =>
    page.evaluate(() => [...(CSS.highlights.get("found") ?? [])].map((range) => `${range}`));
  await expect.poll(marks).toContainEqual(expect.stringMatching(/^cormorants$/i));
  await page.request.delete(`/api/conversations/${id}`, { headers: { origin: server.origin } });
  await close(watched);
});

describe("by keyboard", () => {
  let watched: Watched;
  let page: Page;
  beforeEach(async () => {
    watched = await open(browser, server, {
      viewport: wide,
      permissions: ["clipboard-read", "clipboard-write"],
    });
    page = watched.page;
    await page.goto(path(1));
    await finalAnswer(page).waitFor();
    await titles(page).first().waitFor();
    await page.getByRole("button", { name: "Ask again…" }).waitFor();
  });
  afterEach(() => close(watched));

  it("conversations are gone through, searched, renamed, deleted and brought back", async () => {
    await page.keyboard.press("/");
    await expect.poll(() => focused(page)).toBe("Search conversations");
    await page.keyboard.press("ArrowDown");
    const first = (await titles(page).first().textContent()) ?? "";
    expect(await focused(page)).toBe(first);
    await page.keyboard.press("End");
    expect(await focused(page)).toBe(await titles(page).last().textContent());
    await page.keyboard.press("Home");
    await page.keyboard.press("F2");
    await page.keyboard.type("Not this");
    await page.keyboard.press("Escape");
    await expect.poll(() => focused(page)).toBe(first);
    await page.keyboard.press("F2");
    await page.keyboard.type("Gorse, once more");
    await page.keyboard.press("Enter");
    await list(page).getByRole("link", { name: "Gorse, once more" }).waitFor();
    await expect.poll(() => focused(page)).toBe("Gorse, once more");

    await page.keyboard.press("Tab");
    expect(await focused(page)).toBe("More for Gorse, once more");
    await page.keyboard.press("Enter");
    await expect.poll(() => focused(page)).toBe("Rename");
    await page.keyboard.press("End");
    await page.keyboard.press("Enter");
    await page.getByText("“Gorse, once more” was deleted.").waitFor();
    expect(await focused(page)).toBe(await titles(page).first().textContent());
    await page.getByRole("button", { name: "Undo" }).press("Enter");
    await list(page).getByRole("link", { name: "Gorse, once more" }).waitFor();
  });

  it("a conversation is pinned and unpinned, and the focus goes along", async () => {
    await page.keyboard.press("/");
    await expect.poll(() => focused(page)).toBe("Search conversations");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("End");
    const title = (await titles(page).last().textContent()) ?? "";
    await expect.poll(() => focused(page)).toBe(title);
    await page.keyboard.press("Tab");
    const more = `More for ${title}`;
    const choose = async (action: string) => {
      await expect.poll(() => focused(page)).toBe(more);
      await page.keyboard.press("Enter");
      await expect.poll(() => focused(page)).toBe("Rename");
      await page.keyboard.press("ArrowDown");
      await expect.poll(() => focused(page)).toBe(action);
      await page.keyboard.press("Enter");
    };
    await choose("Pin");
    await expect.poll(() => pinned(page).allTextContents()).toEqual([title]);
    const status = list(page).getByRole("status");
    await status.getByText(`“${title}” was pinned.`).waitFor();
    await expect.poll(() => focused(page)).toBe(more);
    // From there the keys go on.
    await page.keyboard.press("Shift+Tab");
    await expect.poll(() => focused(page)).toBe(title);
    await page.keyboard.press("ArrowDown");
    const second = await titles(page).nth(1).textContent();
    await expect.poll(() => focused(page)).toBe(second);
    await page.keyboard.press("ArrowUp");
    await expect.poll(() => focused(page)).toBe(title);
    await page.keyboard.press("Tab");
    await choose("Unpin");
    await expect.poll(() => pinned(page).count()).toBe(0);
    await status.getByText(`“${title}” is no longer pinned.`).waitFor();
    await expect.poll(() => focused(page)).toBe(more);
    await expect.poll(() => titles(page).last().textContent()).toBe(title);
    expect(await violations(page)).toEqual([]);
  });

  it("the sidebar is folded away, stays so, and comes back for a search", async () => {
    await page.keyboard.press("b");
    await page.getByRole("button", { name: "Show the sidebar" }).waitFor();
    expect(await search(page).isVisible()).toBe(false);
    expect(await violations(page)).toEqual([]);
    await page.reload();
    await page.getByRole("button", { name: "Show the sidebar" }).waitFor();
    await finalAnswer(page).waitFor();
    await page.getByLabel("Your question").focus();
    await page.keyboard.press("Control+k");
    await expect.poll(() => focused(page)).toBe("Search conversations");
    await page.getByRole("button", { name: "Hide the sidebar" }).press("Enter");
    await expect.poll(() => focused(page)).toBe("Show the sidebar");
    await page.keyboard.press("Enter");
    await expect.poll(() => focused(page)).toBe("Hide the sidebar");
  });

  it("the sheet names every shortcut, and each does what it says", async () => {
    await page.keyboard.press("?");
    const sheet = page.getByRole("dialog", { name: "Keyboard shortcuts" });
    await sheet.getByText("New conversation").waitFor();
    expect(await violations(page)).toEqual([]);
    // Behind the sheet nothing happens.
    await page.keyboard.press("n");
    expect(new URL(page.url()).pathname).toBe(path(1));
    await page.keyboard.press("Escape");
    await expect.poll(() => sheet.count()).toBe(0);

    await page.keyboard.press("j");
    await page.waitForURL(`**${path(0)}`);
    await page.keyboard.press("k");
    await page.waitForURL(`**${path(1)}`);
    await finalAnswer(page).waitFor();
    await page.keyboard.press("y");
    await finalAnswer(page).getByRole("button", { name: "Copied" }).waitFor();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(copied.length).toBeGreaterThan(20);
    await page.keyboard.press("Shift+S");
    await page.getByText("Nothing runs here.").waitFor();
    await page.keyboard.press("p");
    await page.getByText("This run has no process log.").waitFor();
    await page.keyboard.press("c");
    expect(await focused(page)).toBe("Your question");
    await page.keyboard.type("njkby?/S");
    expect(await page.getByLabel("Your question").inputValue()).toBe("njkby?/S");
    expect(new URL(page.url()).pathname).toBe(path(1));
    await page.getByLabel("Your question").fill("");
    await page.getByRole("heading", { level: 1 }).click();
    await page.keyboard.press("n");
    await page.getByRole("heading", { name: "Ask the council" }).waitFor();
  });

  it("shortcuts of a single key can be switched off", async () => {
    await page.getByRole("button", { name: "Keyboard shortcuts" }).click();
    await page.getByLabel(/^Shortcuts of a single key/).uncheck();
    await page.keyboard.press("Escape");
    await page.keyboard.press("b");
    await page.keyboard.press("n");
    expect(new URL(page.url()).pathname).toBe(path(1));
    expect(await search(page).isVisible()).toBe(true);
    await page.keyboard.press("Control+k");
    await expect.poll(() => focused(page)).toBe("Search conversations");
  });

  it("reviews are copied as Markdown, one or all", async () => {
    await page
      .getByRole("button", { name: /^Copy the review by / })
      .first()
      .click();
    const one = await page.evaluate(() => navigator.clipboard.readText());
    expect(one).toMatch(/^### Review by /);
    expect(one).toMatch(/Response [A-Z] \(\S+\)/);
    await page.getByRole("button", { name: "Copy all reviews as Markdown" }).click();
    const all = await page.evaluate(() => navigator.clipboard.readText());
    expect(all).toContain("## Aggregate ranking");
    expect(all).toContain(one.trim());
    await page.getByRole("button", { name: "Copy all as Markdown" }).click();
    const whole = await page.evaluate(() => navigator.clipboard.readText());
    expect(whole).toContain(all.trim());
    expect(whole).toContain(questions[1]);
  });
});
