import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { violations } from "./axe";
import { ask, close, launch, open, phone, shapes, waitForEnd, wide } from "./browser";
import { OwnServer } from "./own-server";

let browser: Browser;
let server: OwnServer;
let conversation: string;
beforeAll(async () => {
  [browser, server] = await Promise.all([launch(), OwnServer.start()]);
  const watched = await open(browser, server);
  await ask(watched.page, "What is a good name for a lighthouse?");
  await waitForEnd(watched.page);
  conversation = new URL(watched.page.url()).pathname;
  await close(watched);
});
afterAll(() => Promise.all([browser.close(), server.close()]));

const pages: [string, () => string, (page: Page) => Promise<unknown>][] = [
  ["home", () => "/", (page) => page.locator(".seats").waitFor()],
  [
    "a conversation",
    () => conversation,
    async (page) => {
      await page.getByRole("group", { name: "Who ranked whom" }).waitFor();
      await page.getByRole("button", { name: /^Cost and time/ }).click();
      await page.getByText("Full review").first().click();
    },
  ],
  ["settings", () => "/settings", (page) => page.locator(".offer").first().waitFor()],
];

describe.each(["light", "dark"] as const)("in %s colours", (colorScheme) => {
  describe.each([
    ["wide", wide],
    ["narrow", phone],
  ] as const)("on a %s screen", (_, viewport) => {
    it.each(pages)("%s breaks no rule of axe", async (_name, path, ready) => {
      const watched = await open(browser, server, { colorScheme, viewport });
      await watched.page.goto(path());
      await ready(watched.page);
      expect(await violations(watched.page)).toEqual([]);
      await close(watched);
    });
  });
});

it.each(pages)("%s does not scroll sideways on a phone", async (_name, path, ready) => {
  const watched = await open(browser, server, shapes.phone);
  await watched.page.goto(path());
  await ready(watched.page);
  const width = await watched.page.evaluate(() => document.documentElement.scrollWidth);
  expect(width).toBeLessThanOrEqual(phone.width);
  await close(watched);
});

it("is used by keyboard: a skip link, and a drawer that gives the focus back", async () => {
  const watched = await open(browser, server, { viewport: phone });
  const { page } = watched;
  await page.goto(conversation);
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.keyboard.press("Tab");
  expect(await page.evaluate(() => document.activeElement?.textContent)).toMatch(/^Skip/);
  await page.getByRole("button", { name: "Open the sidebar" }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("dialog").getByRole("link", { name: "Settings" }).waitFor();
  // It scrolls as one: the list has all the room that it needs.
  const cut = (list: Element) => list.scrollHeight > list.clientHeight + 1;
  expect(await page.locator(".drawer .sidebar-list").evaluate(cut)).toBe(false);
  await page.keyboard.press("Escape");
  await expect.poll(() => page.getByRole("dialog").count()).toBe(0);
  expect(await page.evaluate(() => document.activeElement?.getAttribute("aria-label"))).toBe(
    "Open the sidebar",
  );
  await close(watched);
});
