/** Who answers the next question, chosen where one asks: by pointer and by keyboard, with what it costs. */
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { violations } from "./axe";
import {
  bothShapes,
  close,
  launch,
  members,
  open,
  type Watched,
  waitForEnd,
  wide,
} from "./browser";
import { OwnServer } from "./own-server";
import { PricedModels } from "./priced-models";

let browser: Browser;
let models: PricedModels;
let server: OwnServer;
beforeAll(async () => {
  models = await PricedModels.start();
  [browser, server] = await Promise.all([launch(), OwnServer.start(models.settings)]);
});
afterAll(async () => {
  await Promise.all([browser.close(), server.close()]);
  await models.close();
});

const dialog = (page: Page) => page.getByRole("dialog", { name: "Who answers" });
const seats = (page: Page) =>
  dialog(page).getByRole("list", { name: "Members" }).locator("strong").allTextContents();
const price = (page: Page) => dialog(page).locator(".council-price");
const search = (page: Page) => dialog(page).getByRole("combobox", { name: "Search models" });
const chip = (page: Page) => page.locator(".composer").getByRole("button", { name: /chairman: / });
const focused = (page: Page) =>
  page.evaluate(
    () => document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.textContent,
  );
const press = (page: Page, name: string | RegExp) =>
  dialog(page).getByRole("button", { name }).press("Enter");
const council = ["aurora", "basil", "cedar-large-instruct", "dune"];

describe.each(bothShapes)("on %s", (_, shape) => {
  let watched: Watched;
  let page: Page;
  beforeEach(async () => {
    watched = await open(browser, server, shape);
    page = watched.page;
    await page.goto("/");
  });
  afterEach(() => close(watched));

  it("members and chairman are swapped, removed and added by keyboard, and asked", async () => {
    const before = await members(page);
    await page.getByRole("region", { name: "Members of the council" }).getByText("basil").click();
    await expect.poll(() => seats(page)).toEqual(council);
    await expect.poll(() => focused(page)).toBe("Swap basil");
    await price(page)
      .getByText(/^A short question: about \$0\.\d+, 10 calls$/)
      .waitFor();
    const dear = await price(page).textContent();
    expect(await violations(page)).toEqual([]);

    await press(page, "Swap basil");
    await expect.poll(() => focused(page)).toBe("Search models");
    await dialog(page).getByRole("heading", { name: "Instead of basil" }).waitFor();
    await search(page).fill("chair");
    expect(await violations(page)).toEqual([]);
    await search(page).press("Enter");
    await expect.poll(() => seats(page)).toEqual(["aurora", "chair", ...council.slice(2)]);
    await expect.poll(() => focused(page)).toBe("Swap chair");

    await press(page, "Remove dune");
    await press(page, "Remove cedar-large-instruct");
    await expect.poll(() => seats(page)).toEqual(["aurora", "chair"]);
    await dialog(page).getByText("A council has at least two members.").waitFor();
    await press(page, "Remove chair");
    expect(await seats(page)).toEqual(["aurora", "chair"]);
    await press(page, "Add a member");
    await search(page).fill("dune");
    await search(page).press("Enter");
    await expect.poll(() => seats(page)).toEqual(["aurora", "chair", "dune"]);
    // First what was searched for, then the list.
    await page.keyboard.press("Escape");
    await expect.poll(() => search(page).inputValue()).toBe("");
    await page.keyboard.press("Escape");
    await expect.poll(() => focused(page)).toBe("Add a member");

    await press(page, "Swap the chairman");
    await search(page).fill("basil");
    await search(page).press("Enter");
    await expect.poll(() => focused(page)).toBe("Swap the chairman");
    await expect.poll(() => price(page).textContent()).toMatch(/\$0\.\d+, 8 calls$/);
    expect(await price(page).textContent()).not.toBe(dear);
    expect(await violations(page)).toEqual([]);
    const { width } = page.viewportSize() ?? wide;
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(
      width,
    );
    await press(page, "Done");
    await expect.poll(() => dialog(page).count()).toBe(0);

    await page
      .getByText("Asked instead of your council: acme/aurora, acme/chair, birch/dune.")
      .waitFor();
    await page.getByText("The chairman this time: acme/basil.").waitFor();
    await page
      .getByRole("region", { name: "Members of the council" })
      .getByText("chair")
      .first()
      .waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByLabel("Your question").fill("Who are you?");
    const sent = page.waitForRequest(
      (request) => request.method() === "POST" && request.url().includes("/message"),
    );
    await page.getByRole("button", { name: "Ask", exact: true }).click();
    const body = (await sent).postDataJSON() as { models: unknown; chairman_model: unknown };
    expect(body.models).toEqual([
      { model: "acme/aurora" },
      { model: "acme/chair" },
      { model: "birch/dune" },
    ]);
    expect(body.chairman_model).toBe("acme/basil");
    await waitForEnd(page);
    await page.getByText(/^Written by basil/).waitFor();
    expect(await members(page)).toEqual(before);
  });

  it("in a conversation it opens from the composer, and goes back to the council of the settings", async () => {
    await page.getByLabel("Your question").fill("Who are you?");
    await page.getByRole("button", { name: "Ask", exact: true }).click();
    await waitForEnd(page);
    await page.getByLabel("Your question").fill("And who is she?");
    await chip(page).press("Enter");
    await expect.poll(() => seats(page)).toEqual(council);
    await price(page)
      .getByText(/^Your question: about \$0\.\d+, \d+ calls$/)
      .waitFor();
    await press(page, "Remove aurora");
    await expect.poll(() => seats(page)).toEqual(council.slice(1));
    await page.keyboard.press("Escape");
    await expect.poll(() => dialog(page).count()).toBe(0);
    expect(await chip(page).textContent()).toBe("3 members");
    await page.reload();
    await page.getByLabel("Your question").click();
    await expect.poll(() => chip(page).textContent()).toBe("3 members");
    await chip(page).press("Enter");
    await press(page, "Back to my council");
    await expect.poll(() => seats(page)).toEqual(council);
    await press(page, "Done");
    await expect.poll(() => chip(page).textContent()).toBe("4 members");
    expect(await page.getByText("Asked instead of your council").count()).toBe(0);
    expect(await violations(page)).toEqual([]);
  });
});
