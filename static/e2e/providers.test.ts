/** Providers: what they offer, what they offer no longer, where they are asked, and whether they work. */
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { violations } from "./axe";
import {
  ask,
  bothShapes,
  close,
  launch,
  members,
  open,
  patience,
  send,
  type Watched,
  wide,
} from "./browser";
import { manyModels, retired, say } from "./many-models";
import { OwnServer } from "./own-server";
import { ScriptedModels } from "./scripted-models";
import { checkProviders, moveRegion, withRegions } from "./views/providers";

let browser: Browser;
let many: ScriptedModels;
let few: ScriptedModels;
let server: OwnServer;

beforeAll(async () => {
  [browser, many, few] = await Promise.all([
    launch(),
    ScriptedModels.start(say, manyModels),
    ScriptedModels.start(say, [{ id: "llama3:8b", context_length: 8192 }]),
  ]);
  // Its address is there to be configured, and nobody answers at it.
  const attic = await ScriptedModels.start(say);
  await attic.close();
  server = await OwnServer.start({
    ...many.settings(["cedar/large-3", "openai/pro-5", retired]),
    ...few.asProvider("workshop"),
    ...attic.asProvider("attic"),
  });
});
afterAll(async () => {
  await Promise.all([browser.close(), server.close()]);
  await Promise.all([many.close(), few.close()]);
});

async function fits(page: Page) {
  const { width } = page.viewportSize() ?? wide;
  const needed = await page.evaluate(() => document.documentElement.scrollWidth);
  expect(needed).toBeLessThanOrEqual(width);
}

async function fitsAndBreaksNoRule(page: Page) {
  await fits(page);
  expect(await violations(page)).toEqual([]);
}

describe.each(bothShapes)("on %s", (_, shape) => {
  let watched: Watched;
  let page: Page;
  beforeEach(async () => {
    watched = await open(browser, server, shape);
    page = watched.page;
  });
  afterEach(async () => {
    await send(page, "POST", "/api/config/reset", {});
    await close(watched);
  });
  const options = () => page.getByRole("listbox", { name: "Models on offer" }).getByRole("option");

  it("offers hundreds of models by provider, and finds them by any of their words", async () => {
    await page.goto("/settings");
    await options().first().waitFor();
    expect(await options().count()).toBe(manyModels.length + 1);
    const picker = page.locator(".picker").first();
    expect(await picker.locator(".offers-group").allTextContents()).toEqual([
      "attic",
      `scripted${manyModels.length}`,
      "workshop1",
    ]);
    await picker.getByText("The list of models of attic could not be loaded:").waitFor();
    await picker.getByRole("link", { name: "Check the providers" }).waitFor();
    await page.getByText("large-3 and large-0 are of one family, cedar.").waitFor();

    const search = page.getByRole("combobox", { name: "Search models" });
    await search.fill("5 pro goo");
    await options().and(page.locator("[aria-selected=true]")).waitFor();
    const found = options().filter({ hasText: "google/pro-5" });
    expect(await found.textContent()).toContain(
      "$4.80 in, $19.20 out per million tokens, 1M context",
    );
    await search.press("Enter");
    await page.getByText("google/pro-5 was added.").waitFor();
    const foot = (element: Element) => element.getBoundingClientRect().bottom;
    const bar = await page
      .locator(".save-bar")
      .evaluate((element) => element.getBoundingClientRect().top);
    await expect.poll(() => search.evaluate(foot)).toBeLessThanOrEqual(bar);
    await search.fill("workshop");
    await search.press("ArrowDown");
    await search.press("ArrowUp");
    await search.press("Enter");
    await fitsAndBreaksNoRule(page);
    await search.press("Escape");
    await expect.poll(() => options().count()).toBe(manyModels.length + 1);

    await page
      .getByRole("button", { name: `Use cedar/large-1 in the place of ${retired}` })
      .click();
    await page.getByRole("button", { name: "Save", exact: true }).press("Enter");
    await page.getByText("The council was saved.").waitFor();
    expect(await members(page)).toEqual([
      "cedar/large-3",
      "openai/pro-5",
      "cedar/large-1",
      "google/pro-5",
      "workshop:llama3:8b",
    ]);
  });

  it("says of an answer that its model is gone, and takes the nearest from then on", async () => {
    await ask(page, "Which tea?");
    await page.getByRole("button", { name: "Ask", exact: true }).waitFor({ timeout: patience });
    const tab = page.getByRole("tab", { name: /large-0/ });
    const card = page.getByRole("article", { name: `Answer of ${retired}` });
    await tab.or(card).first().waitFor();
    if (await tab.isVisible()) await tab.click();
    await card.getByText("is no longer on its provider’s list").waitFor({ timeout: patience });
    await fitsAndBreaksNoRule(page);
    await card.getByRole("button", { name: /^Use cedar\/large-1/ }).click();
    await card
      .getByText("From the next question on, cedar/large-1 is asked in its place.")
      .waitFor();
    expect(await members(page)).toEqual(["cedar/large-3", "openai/pro-5", "cedar/large-1"]);
    if (await tab.isVisible()) await page.getByRole("tab", { name: /pro-5/ }).click();
    await page
      .getByRole("article", { name: "Answer of openai/pro-5" })
      .getByText("3,968 of 4,210 tokens read from the cache")
      .waitFor();
  });

  it("moves a council to another region, and says what that did", async () => {
    await withRegions(page);
    await page.goto("/settings");
    await moveRegion(page);
    const region = page.getByRole("region", { name: "Region", exact: true });
    await region.getByText("1 model now has its id for Europe (Ireland):").waitFor();
    await region
      .getByText("Member 1: bedrock:us.cedar.large-20250929-v1:0 is now bedrock:eu.cedar")
      .waitFor();
    expect(await region.getByRole("button", { name: /^Use .* in the place of/ }).count()).toBe(0);
    await fits(page);
    await page.unrouteAll();
  });

  it("checks providers and models, and says what to do", async () => {
    await page.goto("/admin/providers");
    await checkProviders(page);
    await page.getByText("A council can be held: 3 of 4 members answer.").waitFor();
    await page
      .getByText("Check providers.attic.api_key: make a new key at the provider, and restart.")
      .first()
      .waitFor();
    await page.getByText("Name cedar/large-1 in the place of cedar/large-0.").waitFor();
    await fitsAndBreaksNoRule(page);
    // Whoever looks elsewhere meanwhile finds it again.
    const menu = page.getByRole("navigation", { name: "Administration" });
    await menu.getByRole("link", { name: "Runs" }).press("Enter");
    await menu.getByRole("link", { name: "Providers" }).press("Enter");
    await page.getByText("A council can be held: 3 of 4 members answer.").waitFor();
    await page.unrouteAll();
  });
});
