/** What a large screen has room for, and a conversation of more than one turn. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { violations } from "./axe";
import { ask, close, finalAnswer, launch, open, shapes, waitForEnd } from "./browser";
import { OwnServer } from "./own-server";
import { ScriptedModels } from "./scripted-models";

/** Taller than any screen. */
const long = Array.from({ length: 60 }, (_, at) => `${at + 1}. So it is.`).join("\n\n");

let browser: Browser;
let models: ScriptedModels;
let server: OwnServer;
beforeAll(async () => {
  models = await ScriptedModels.start(({ purpose, prompt }) => {
    if (purpose === "review") return { text: "FINAL RANKING:\n1. Response A\n2. Response B" };
    const isLong = purpose === "synthesis" && prompt.includes("At length?");
    return { text: isLong ? long : "So it is." };
  });
  const members = ["a/first", "a/second", "b/third", "b/fourth"];
  [browser, server] = await Promise.all([launch(), OwnServer.start(models.settings(members))]);
});
afterAll(() => Promise.all([browser.close(), server.close(), models.close()]));

it("four answers stand side by side where there is room, or one at a time where that is wanted", async () => {
  const watched = await open(browser, server, { viewport: { width: 1920, height: 1080 } });
  const { page } = watched;
  await ask(page, "Is there room?");
  await waitForEnd(page);
  const cards = page.locator("article.answer");
  const tops = await cards.evaluateAll((all) =>
    all.map((card) => Math.round(card.getBoundingClientRect().top)),
  );
  expect(tops).toHaveLength(4);
  expect(new Set(tops).size).toBe(1);
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  expect(overflow).toBeLessThanOrEqual(0);
  expect(await violations(page)).toEqual([]);

  await page.getByRole("button", { name: "One at a time" }).click();
  await page.getByRole("tab", { name: "second" }).click();
  expect(await cards.count()).toBe(1);
  await page.reload();
  await page.getByRole("tab", { name: "second" }).waitFor();
  await page.getByRole("button", { name: "Side by side" }).click();
  await expect.poll(() => cards.count()).toBe(4);
  await close(watched);
});

it("three answers stand side by side where three fit, and the fourth below them", async () => {
  const watched = await open(browser, server, { viewport: { width: 1440, height: 900 } });
  const { page } = watched;
  await ask(page, "Is there room for three?");
  await waitForEnd(page);
  const places = await page.locator("article.answer").evaluateAll((all) =>
    all.map((card) => {
      const { top, left } = card.getBoundingClientRect();
      return { top: Math.round(top), left: Math.round(left) };
    }),
  );
  const [first, second, third, fourth] = places;
  expect(places).toHaveLength(4);
  expect([second?.top, third?.top]).toEqual([first?.top, first?.top]);
  expect(new Set(places.slice(0, 3).map(({ left }) => left)).size).toBe(3);
  expect(fourth?.left).toBe(first?.left);
  expect(fourth?.top).toBeGreaterThan(first?.top ?? Number.POSITIVE_INFINITY);
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  expect(overflow).toBeLessThanOrEqual(0);
  await close(watched);
});

it.each(Object.entries(shapes))(
  "two turns of the same question have landmarks of their own on %s",
  async (_, shape) => {
    const watched = await open(browser, server, shape);
    const { page } = watched;
    await ask(page, "Again?");
    await waitForEnd(page);
    await page.getByLabel("Your question").fill("Again?");
    await page.getByRole("button", { name: "Ask", exact: true }).click();
    await page.locator(".turn").nth(1).waitFor();
    await finalAnswer(page).nth(1).getByRole("button", { name: "Copy answer" }).waitFor();
    // One that was opened is no longer among them; which are open already depends on the moment.
    const folded = page.locator(".turn-past .fold-heading button[aria-expanded=false]");
    for (let left = await folded.count(); left > 0; left -= 1) await folded.first().click();
    await expect.poll(() => folded.count()).toBe(0);
    expect(await violations(page)).toEqual([]);
    await close(watched);
  },
);

it.each(Object.entries(shapes))(
  "from further up, the newest question is one press away on %s",
  async (_, shape) => {
    const watched = await open(browser, server, shape);
    const { page } = watched;
    const jump = page.getByRole("button", { name: "Newest question" });
    const newest = page.locator(".turn").nth(1);
    const composer = () =>
      page.locator(".composer-dock").evaluate((dock) => dock.getBoundingClientRect().height);
    await ask(page, "At length?");
    await waitForEnd(page);
    await page.getByLabel("Your question").fill("In short?");
    await page.getByRole("button", { name: "Ask", exact: true }).click();
    await finalAnswer(page).nth(1).getByRole("button", { name: "Copy answer" }).waitFor();
    await page.getByRole("button", { name: "Ask", exact: true }).waitFor();
    await expect.poll(() => jump.count()).toBe(0);
    const height = await composer();

    // A key ends what the page does by itself.
    await page.keyboard.press("Shift");
    await page.evaluate(() => scrollTo({ top: 0, behavior: "instant" }));
    await jump.waitFor();
    await expect.poll(composer).toBe(height);
    expect(await violations(page)).toEqual([]);

    await jump.press("Enter");
    await expect.poll(() => jump.count()).toBe(0);
    // Nothing is above it but the margin and, on a phone, the bar.
    const top = () => newest.evaluate((turn) => turn.getBoundingClientRect().top);
    await expect.poll(top).toBeLessThan(100);
    expect(await top()).toBeGreaterThanOrEqual(0);
    expect(await newest.evaluate((turn) => turn === document.activeElement)).toBe(true);
    await page.keyboard.press("Tab");
    const isWithin = await newest.evaluate((turn) => turn.contains(document.activeElement));
    expect(isWithin).toBe(true);
    await close(watched);
  },
);
