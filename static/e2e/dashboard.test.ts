/** The dashboard: what one's own runs say together. */
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { violations } from "./axe";
import { bothShapes, close, launch, open, send, type Watched, wide } from "./browser";
import { type Asked, askFor, call, mixCosts } from "./figures";
import { OwnServer } from "./own-server";

let browser: Browser;
let server: OwnServer;
let watched: Watched;
let page: Page;
beforeAll(async () => {
  [browser, server] = await Promise.all([launch(), OwnServer.start()]);
});
afterAll(() => Promise.all([browser.close(), server.close()]));
afterEach(() => close(watched));

const shapes = bothShapes;

const part = (name: string) => page.getByRole("region", { name, exact: true });

async function fitsAndBreaksNoRule() {
  const { width } = page.viewportSize() ?? wide;
  const needed = await page.evaluate(() => document.documentElement.scrollWidth);
  expect(needed).toBeLessThanOrEqual(width);
  expect(await violations(page)).toEqual([]);
}

describe.each(shapes)("before the first question, on %s", (_, shape) => {
  it("says what will be here, and leads to the council", async () => {
    watched = await open(browser, server, shape);
    page = watched.page;
    await page.goto("/");
    const menu = page.getByRole("button", { name: "Open the sidebar" });
    if (await menu.isVisible()) await menu.click();
    await page.getByRole("link", { name: "Dashboard" }).last().click();
    await page.getByRole("heading", { name: "Nothing to count yet" }).waitFor();
    await fitsAndBreaksNoRule();
    await page.getByRole("link", { name: "Ask the council" }).click();
    await page.getByLabel("Your question").waitFor();
  });
});

describe.each(shapes)("with some runs, on %s", (name, shape) => {
  const asked: Asked[] = [];
  const tag = `tag-${name.replaceAll(" ", "-")} & 100%`;
  beforeAll(async () => {
    for (const question of ["Is water wet?", "Is glass a liquid?", "Why is the sky blue?"]) {
      asked.push(await askFor(server, question));
    }
    const [first] = asked;
    await call(server, "PUT", `/api/conversations/${first?.conversation}/tags`, { tags: [tag] });
    await call(server, "PUT", `/api/runs/${first?.run}/feedback`, {
      thumb: "up",
      better: { member: "simulated/ada" },
    });
  });
  beforeEach(async () => {
    watched = await open(browser, server, shape);
    page = watched.page;
  });

  it.each(["light", "dark"] as const)("shows every figure in %s colours", async (colorScheme) => {
    await page.emulateMedia({ colorScheme });
    await page.goto("/dashboard");
    await part("Leaderboard").getByRole("row", { name: /^ada/ }).waitFor();
    await part("Strength").getByRole("row", { name: /^ada/ }).waitFor();
    await part("Head to head").getByRole("row", { name: /^ada/ }).waitFor();
    await part("Chairmen")
      .getByRole("row", { name: /^chair/ })
      .waitFor();
    await part("Council or best member").getByText("Chosen as the best answer").waitFor();
    await part("Weights").getByRole("row", { name: /^ada/ }).waitFor();
    await part("Over time").locator("canvas").waitFor();
    await part("Recent runs").getByRole("listitem").first().waitFor();
    await fitsAndBreaksNoRule();
  });

  it("draws a series, and holds the same as a table", async () => {
    await page.goto("/dashboard?days=7");
    const series = part("Over time");
    await series.getByRole("figure", { name: "Cost by day" }).waitFor();
    await series.getByRole("button", { name: "Runs", exact: true }).press("Enter");
    await series.getByRole("figure", { name: "Runs by day" }).waitFor();
    const over = series.locator(".u-over");
    const box = await over.boundingBox();
    if (!box) throw new Error("the chart has no size");
    await over.hover({ position: { x: box.width - 12, y: box.height / 2 } });
    await series.getByText(/\d+ runs$/).waitFor();
    await series.getByText("The same as a table").press("Enter");
    await expect.poll(() => series.getByRole("row").count()).toBeGreaterThan(1);
    await fitsAndBreaksNoRule();
  });

  it("is sorted by any column, by keyboard", async () => {
    await page.goto("/dashboard");
    const board = part("Leaderboard");
    const column = (title: string) => board.getByRole("columnheader", { name: title });
    await column("Win rate").waitFor();
    expect(await column("Win rate").getAttribute("aria-sort")).toBe("descending");
    await column("Average rank").getByRole("button").press("Enter");
    expect(await column("Average rank").getAttribute("aria-sort")).toBe("ascending");
    const ranks = async () => {
      const cells = await board.locator("tbody tr td:nth-of-type(2)").allInnerTexts();
      return cells.map(Number);
    };
    expect(await ranks()).toEqual((await ranks()).toSorted((a, b) => a - b));
    await column("Average rank").getByRole("button").press("Enter");
    expect(await ranks()).toEqual((await ranks()).toSorted((a, b) => b - a));
  });

  it("counts the days that are asked for, also after a reload", async () => {
    await page.goto("/dashboard");
    const range = page.getByRole("group", { name: "Days to count" });
    await range.getByRole("button", { name: "90 days" }).press("Enter");
    await expect.poll(() => page.url()).toMatch(/\?days=90$/);
    await page.reload();
    const chosen = range.getByRole("button", { name: "90 days" });
    await expect.poll(() => chosen.getAttribute("aria-pressed")).toBe("true");

    await range.getByRole("button", { name: "Custom" }).press("Enter");
    await page.getByLabel("From", { exact: true }).fill("2020-01-01");
    await page.getByLabel("to", { exact: true }).fill("2019-01-01");
    await page.getByText("The first day has to come before the last.").waitFor();
    await fitsAndBreaksNoRule();
    await page.getByLabel("to", { exact: true }).fill("2020-02-01");
    await page.getByRole("heading", { name: "Nothing was asked in this period" }).waitFor();
    await page.getByRole("button", { name: "Show all time" }).press("Enter");
    await part("Leaderboard").getByRole("row", { name: /^ada/ }).waitFor();
  });

  it("rates from ballots, from people, and by tag", async () => {
    await page.goto("/dashboard");
    const strength = part("Strength");
    await strength.getByText(/^From \d+ runs/).waitFor();
    await strength.getByLabel("Conversations tagged").selectOption(tag);
    await strength.getByText(/^From 1 run;/).waitFor();
    await strength.getByRole("button", { name: "From people" }).press("Enter");
    const best = strength.getByRole("row").nth(1);
    await expect.poll(() => best.innerText()).toMatch(/^ada/);
    await page.reload();
    await expect.poll(() => best.innerText()).toMatch(/^ada/);
    expect(await strength.getByLabel("Conversations tagged").inputValue()).toBe(tag);
  });

  it("has a page for each model", async () => {
    await page.goto("/dashboard?days=7");
    await part("Leaderboard")
      .getByRole("link", { name: /^basil/ })
      .press("Enter");
    await page.waitForURL("/dashboard/models/simulated/basil?days=7");
    await page.getByRole("heading", { name: "basil", level: 1 }).waitFor();
    await part("Places").getByRole("row", { name: /^1st/ }).waitFor();
    await part("Strength")
      .getByText(/95% interval/)
      .first()
      .waitFor();
    await part("Against others").getByRole("link", { name: /^ada/ }).waitFor();
    await fitsAndBreaksNoRule();
    await page.reload();
    await part("Against others").getByRole("link", { name: /^ada/ }).press("Enter");
    await page.getByRole("heading", { name: "ada", level: 1 }).waitFor();
    await page.locator(".crumb").getByRole("link", { name: "Dashboard" }).press("Enter");
    await page.waitForURL("/dashboard?days=7");
    await page.goto("/dashboard/models/openai/gpt-5.1");
    await page.getByText("openai/gpt-5.1 was not asked.").waitFor();
    await fitsAndBreaksNoRule();
  });

  it("leads from a run to its conversation", async () => {
    await page.goto("/dashboard");
    const newest = part("Recent runs").getByRole("listitem").first();
    await newest.getByRole("link").press("Enter");
    await page.waitForURL(/\/c\//);
    await page.getByText("Why is the sky blue?").first().waitFor();
  });

  it("lists a question that was only classified as what it is", async () => {
    await page.goto("/dashboard");
    const asked = await send(page, "POST", "/api/routing/classify", { query: "Why?" });
    expect(asked.status()).toBe(200);
    await page.reload();
    const newest = part("Recent runs").getByRole("listitem").first();
    await newest.getByText("A question was classified").waitFor();
    expect(await newest.getByText("deleted").count()).toBe(0);
    expect(await newest.getByRole("link").count()).toBe(0);
  });

  it("never takes an unknown cost for nothing", async () => {
    await mixCosts(page);
    await page.goto("/dashboard");
    const board = part("Leaderboard");
    const row = (model: RegExp) => board.getByRole("row", { name: model });
    await row(/^grok/).getByText("unknown").waitFor();
    await row(/^a-model/)
      .getByText("and 3 calls of unknown price")
      .waitFor();
    await row(/^gemini/)
      .getByText("partly estimated")
      .waitFor();
    await page.getByText(/12 calls without a known price/).waitFor();
    await page.getByText(/7 calls worked out from list prices/).waitFor();
    await part("Over time")
      .getByText(/marks a day on which no cost is known/)
      .waitFor();
    await part("Over time").getByText("The same as a table").click();
    await part("Over time").getByRole("cell", { name: "unknown", exact: true }).waitFor();
    await fitsAndBreaksNoRule();
  });

  it("says what could not be read, and reads it again", async () => {
    let broken = true;
    await page.route(/\/api\/analytics\/head-to-head/, (route) =>
      broken ? route.fulfill({ status: 500, json: { detail: "Out of order." } }) : route.continue(),
    );
    await page.goto("/dashboard");
    const duels = part("Head to head");
    await duels.getByText("The comparison could not be loaded: Out of order.").waitFor();
    await part("Leaderboard").getByRole("row", { name: /^ada/ }).waitFor();
    await fitsAndBreaksNoRule();
    const reported = watched.faults.splice(0);
    expect(reported.every((fault) => /status of 500.*head-to-head/.test(fault))).toBe(true);
    broken = false;
    await duels.getByRole("button", { name: "Try again" }).press("Enter");
    await duels.getByRole("row", { name: /^ada/ }).waitFor();
  });

  it("shows that figures are on their way", async () => {
    let go = () => {};
    const held = new Promise<void>((done) => {
      go = done;
    });
    await page.route(/\/api\/analytics\?/, async (route) => {
      await held;
      await route.continue();
    });
    await page.goto("/dashboard");
    await page.getByRole("status").getByText("Loading…").waitFor();
    await fitsAndBreaksNoRule();
    go();
    await part("Leaderboard").getByRole("row", { name: /^ada/ }).waitFor();
  });

  it("is cleared once it is said what that means", async () => {
    await page.goto("/dashboard");
    const button = page.getByRole("button", { name: "Clear my analytics…" });
    await button.press("Enter");
    const dialog = page.getByRole("dialog", { name: "Clear your analytics?" });
    await dialog.getByText("This cannot be taken back.").waitFor();
    await fitsAndBreaksNoRule();
    await page.keyboard.press("Escape");
    // Not only closed: the page hears of that a moment later.
    const closed = page.locator("dialog").filter({ hasText: "This cannot be taken back." });
    await expect.poll(() => closed.count()).toBe(0);
    expect(await button.evaluate((one) => one === document.activeElement)).toBe(true);
    await button.press("Enter");
    await dialog.getByRole("button", { name: "Clear for good" }).press("Enter");
    await page.getByRole("heading", { name: "Your figures start again" }).waitFor();
    await page.goto(`/c/${asked[0]?.conversation}`);
    await page.getByText("Is water wet?").first().waitFor();
  });
});
