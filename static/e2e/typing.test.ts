/** Whoever types finds the letters in the composer, and nothing else happens. */
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ask, close, launch, open, shapes, type Watched, waitForEnd } from "./browser";
import { OwnServer, pace } from "./own-server";

let browser: Browser;
let server: OwnServer;
let watched: Watched;
let page: Page;
beforeAll(async () => {
  [browser, server] = await Promise.all([launch(), OwnServer.start(pace.quick)]);
});
afterAll(() => Promise.all([browser.close(), server.close()]));

const box = () => page.getByLabel("Your question");
const hasFocus = () => box().evaluate((element) => element === document.activeElement);
const sidebarIsShown = () =>
  page.getByRole("searchbox", { name: "Search conversations" }).isVisible();
const sentence = "Bring back news";

async function typesInto() {
  await page.keyboard.type(sentence);
  expect(await box().inputValue()).toBe(sentence);
  expect(await sidebarIsShown()).toBe(true);
  await box().fill("");
}

describe("on a wide screen", () => {
  beforeEach(async () => {
    watched = await open(browser, server, shapes.wide);
    page = watched.page;
  });
  afterEach(() => close(watched));

  it("straight after the page has come", async () => {
    await page.goto("/");
    await typesInto();
  });

  it("with the focus on nothing", async () => {
    await page.goto("/");
    await page.getByRole("heading", { level: 1 }).click();
    expect(await hasFocus()).toBe(false);
    await typesInto();
  });

  it("where Escape has left the box letters are shortcuts, until something has the focus again", async () => {
    await page.goto("/");
    await box().focus();
    await page.keyboard.press("Escape");
    expect(await hasFocus()).toBe(false);
    await page.keyboard.press("b");
    await expect.poll(sidebarIsShown).toBe(false);
    await page.keyboard.press("b");
    await expect.poll(sidebarIsShown).toBe(true);
    await page.keyboard.type("What of bees?");
    expect(await box().inputValue()).toBe("What of bees?");
    await box().fill("");
    await page.getByRole("heading", { level: 1 }).click();
    await typesInto();
  });

  it("after New conversation, on its own page and from another", async () => {
    await page.goto("/");
    await page.getByRole("link", { name: "New conversation" }).first().click();
    await typesInto();
    await page.goto("/settings");
    await page.getByRole("link", { name: "New conversation" }).first().click();
    await typesInto();
    expect(new URL(page.url()).pathname).toBe("/");
  });

  it("while the council works and after its answer, first and second", async () => {
    await ask(page, "Why is heather purple?");
    expect(await hasFocus()).toBe(true);
    await waitForEnd(page);
    await typesInto();
    await box().fill("And in autumn?");
    await page.getByRole("button", { name: "Ask", exact: true }).click();
    await page.locator(".turn").nth(1).waitFor();
    await waitForEnd(page);
    await typesInto();
  });

  it("takes the focus from nobody who has put it elsewhere", async () => {
    await ask(page, "Why is moss green?");
    const theme = page.getByRole("button", { name: /^Colours/ });
    await theme.focus();
    await waitForEnd(page);
    expect(await theme.evaluate((element) => element === document.activeElement)).toBe(true);
    await page.reload();
    await waitForEnd(page);
    // An old conversation is for reading; a sentence is typed all the same.
    expect(await hasFocus()).toBe(false);
    await typesInto();
  });

  it("the settings switch shortcuts of a single key off, and letters are typed then", async () => {
    await ask(page, "Why is gorse yellow?");
    await waitForEnd(page);
    const conversation = page.url();
    await page.goto("/settings");
    await page.getByLabel(/^Shortcuts of a single key/).uncheck();
    await page.goto(conversation);
    await waitForEnd(page);
    await page.keyboard.type("bring back news");
    expect(await box().inputValue()).toBe("bring back news");
    expect(await sidebarIsShown()).toBe(true);
  });
});

it("no keyboard rises on a phone that nobody asked for", async () => {
  watched = await open(browser, server, shapes.phone);
  page = watched.page;
  await page.goto("/");
  expect(await hasFocus()).toBe(false);
  await page.getByRole("link", { name: "New conversation" }).first().tap();
  expect(await hasFocus()).toBe(false);
  await page.locator(".examples button").first().tap();
  expect(await box().inputValue()).not.toBe("");
  expect(await hasFocus()).toBe(false);
  await page.getByRole("button", { name: "Ask", exact: true }).tap();
  await waitForEnd(page);
  expect(await hasFocus()).toBe(false);
  await close(watched);
});
