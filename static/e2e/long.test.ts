/** A conversation of a year, and a tab that stays open: measured against what is always there. */
import type { Browser, CDPSession, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { close, launch, moving, open, send, waitForEnd } from "./browser";
import { OwnServer } from "./own-server";
import { pulseOf, quantile, takePulse, unitOf } from "./pulse";

const turns = 200;

let browser: Browser;
let server: OwnServer;
let conversation: string;
beforeAll(async () => {
  const instant = {
    LLM_COUNCIL__PROVIDERS__SIMULATED__TOKENS_PER_SECOND: "1000000",
    LLM_COUNCIL__PROVIDERS__SIMULATED__FIRST_TOKEN_MS: "0",
  };
  [browser, server] = await Promise.all([launch(), OwnServer.start(instant)]);
  const watched = await open(browser, server);
  const { page } = watched;
  await page.goto("/");
  const made = await send(page, "POST", "/api/conversations", {});
  const { id } = (await made.json()) as { id: string };
  for (let turn = 1; turn <= turns; turn += 1) {
    const content = `Question ${turn}: what would you do with an hour more each day?`;
    const answered = await send(page, "POST", `/api/conversations/${id}/message`, { content });
    expect(answered.status()).toBe(200);
  }
  conversation = `/c/${id}`;
  await close(watched);
}, 400_000);
afterAll(() => Promise.all([browser.close(), server.close()]));

/** From the click to the newest answer on the page, in milliseconds. */
async function timeToShow(page: Page, path: string, text: string): Promise<number> {
  await page.goto(path);
  await page.getByText(text).first().waitFor();
  return page.evaluate(
    () =>
      performance.getEntriesByType("navigation")[0] &&
      new Promise<number>((done) => requestAnimationFrame(() => done(performance.now()))),
  ) as Promise<number>;
}

/** Answers of which no more than the text is there. */
const brief = (page: Page) => page.locator(".turn > [data-waits]");

/** From the click until nothing of the conversation is missing, in milliseconds. */
const timeToBeWhole = (page: Page) =>
  page.evaluate(async () => {
    while (document.querySelector(".turn > [data-waits]")) await new Promise(requestAnimationFrame);
    return performance.now();
  });

/** Keeps back all but what a page opens with; the function that is returned lets it come. */
async function keepBackTheRest(page: Page): Promise<() => void> {
  let release = () => {};
  const released = new Promise<void>((done) => {
    release = done;
  });
  const path = `/api${conversation.replace("/c/", "/conversations/")}`;
  // A page opens with the newest answers whole, and says how many.
  const isRest = (url: URL) => url.pathname === path && !url.searchParams.has("whole");
  await page.route(isRest, async (route) => {
    await released;
    await route.continue();
  });
  return release;
}

/** Whether the newest question is at the top of the screen, or the page ends before that. */
const isAtNewest = (page: Page) =>
  page.evaluate(() => {
    const last = [...document.querySelectorAll(".turn")].at(-1);
    const top = last?.getBoundingClientRect().top ?? -1;
    const { scrollHeight } = document.documentElement;
    return Math.abs(top - 16) < 4 || (top > 16 && scrollY + innerHeight > scrollHeight - 4);
  });

/** How far below the top of the screen it is, once it moves no more. */
const restingTop = (turn: Locator) =>
  turn.evaluate(async (one) => {
    let top = Number.NaN;
    for (let still = 0; still < 10; ) {
      await new Promise(requestAnimationFrame);
      const now = one.getBoundingClientRect().top;
      still = now === top ? still + 1 : 0;
      top = now;
    }
    return top;
  });

it("draws the newest of 200 turns at once, and the others when the reader comes near", async () => {
  const watched = await open(browser, server, moving);
  const { page } = watched;
  await takePulse(page);
  await timeToShow(page, "/", "Ask the council");
  const home: number[] = [];
  const long: number[] = [];
  const whole: number[] = [];
  for (let tries = 0; tries < 5; tries += 1) {
    home.push(await timeToShow(page, "/", "Ask the council"));
    long.push(await timeToShow(page, conversation, `Question ${turns}:`));
    whole.push(await timeToBeWhole(page));
  }
  // What the server needs for it is the server's; the page adds the rest.
  const serving = (query: string) =>
    page.evaluate(
      async (path) => {
        const times: number[] = [];
        let bytes = 0;
        for (let tries = 0; tries < 3; tries += 1) {
          const start = performance.now();
          bytes = (await (await fetch(path)).text()).length;
          times.push(performance.now() - start);
        }
        return `${Math.min(...times).toFixed(0)} ms (${(bytes / 1e6).toFixed(2)} MB)`;
      },
      `/api${conversation.replace("/c/", "/conversations/")}${query}`,
    );
  const [served, servedBriefly] = [await serving(""), await serving("?whole=6")];
  const unit = await unitOf(page);
  // How long it takes is printed, for docs/performance.md: that depends on the machine.
  const drawn = () => page.getByRole("region", { name: "Final answer" }).count();
  expect(await page.locator(".question").count()).toBe(turns);
  const atOnce = await drawn();
  expect(atOnce).toBeLessThan(6);
  await page.mouse.move(700, 400);
  await page.waitForTimeout(1000);
  await pulseOf(page);
  for (let step = 0; step < 60; step += 1) {
    await page.mouse.wheel(0, -400);
    await page.waitForTimeout(50);
  }
  const { frames, tasks } = await pulseOf(page);
  console.log(
    `unit ${unit.toFixed(1)} ms; home ${quantile(home, 0.5).toFixed(0)} ms, ${turns} turns ${quantile(long, 0.5).toFixed(0)} ms,`,
    `of which the server has ${servedBriefly}; all of it ${quantile(whole, 0.5).toFixed(0)} ms, the server ${served}; scrolling: frames,`,
    `median / p95 / p99 ${[0.5, 0.95, 0.99].map((share) => quantile(frames, share).toFixed(1)).join(" / ")} ms,`,
    `longest task ${Math.max(0, ...tasks).toFixed(0)} ms`,
  );
  expect(await drawn()).toBeGreaterThan(atOnce);
  await page.keyboard.press("Home");
  await close(watched);
});

it("has the newest answers first, and what led to the others comes without moving what is read", async () => {
  const watched = await open(browser, server, moving);
  const { page } = watched;
  const release = await keepBackTheRest(page);
  await page.goto(conversation);
  const turn = (at: number) => page.locator(".turn").nth(at);
  const answerIn = (at: number) => turn(at).getByRole("region", { name: "Final answer" });
  await answerIn(turns - 1).waitFor();

  // Every question and every answer can be read and found, and all have their place.
  expect(await page.locator(".question").count()).toBe(turns);
  expect(await brief(page).count()).toBe(turns - 6);
  const texts = await brief(page).evaluateAll((all) => all.map((one) => one.textContent ?? ""));
  expect(texts.filter((text) => text.trim() === "")).toEqual([]);

  // Far up, in the middle of what is not whole yet. From any key on, the page stays where its reader is.
  await page.keyboard.press("Shift");
  const middle = turns / 2;
  const toTop = (at: number) => turn(at).evaluate((one) => one.scrollIntoView({ block: "start" }));
  await toTop(middle);
  const before = await restingTop(turn(middle));
  expect(await answerIn(middle).count()).toBe(0);
  release();
  await timeToBeWhole(page);
  await answerIn(middle).waitFor();
  expect(Math.abs((await restingTop(turn(middle))) - before)).toBeLessThan(2);

  // From the first to the last, with all that led to each.
  await toTop(0);
  await answerIn(0).waitFor();
  await page.getByRole("button", { name: "Newest question" }).click();
  await answerIn(turns - 1).waitFor();
  await expect.poll(() => isAtNewest(page)).toBe(true);
  await close(watched);
});

it("stays with the newest answer while the rest comes", async () => {
  const watched = await open(browser, server, moving);
  const { page } = watched;
  const release = await keepBackTheRest(page);
  await page.goto(conversation);
  const last = page.locator(".turn").last();
  await last.getByRole("region", { name: "Final answer" }).waitFor();
  await expect.poll(() => isAtNewest(page)).toBe(true);
  const before = await restingTop(last);
  release();
  await timeToBeWhole(page);
  expect(Math.abs((await restingTop(last)) - before)).toBeLessThan(2);
  // The arrow brings back the questions in their order.
  await page.getByLabel("Your question").focus();
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("ArrowUp");
  expect(await page.getByLabel("Your question").inputValue()).toContain(`Question ${turns - 1}:`);
  await close(watched);
});

async function heapOf(cdp: CDPSession): Promise<number> {
  await cdp.send("HeapProfiler.collectGarbage");
  const { usedSize } = await cdp.send("Runtime.getHeapUsage");
  return usedSize;
}

it("needs no more memory after twenty runs than after five", async () => {
  const watched = await open(browser, server, moving);
  const { page } = watched;
  const cdp = await page.context().newCDPSession(page);
  const heaps: number[] = [];
  await page.goto("/");
  for (let run = 0; run < 20; run += 1) {
    await page.getByLabel("Your question").fill(`Run ${run}?`);
    await page.getByLabel("Your question").press("Enter");
    await page.waitForURL(/\/c\//);
    await waitForEnd(page);
    await page.getByRole("link", { name: "New conversation" }).first().click();
    await page.getByRole("heading", { name: "Ask the council" }).waitFor();
    heaps.push(await heapOf(cdp));
  }
  console.log("heap after each run, MB:", heaps.map((heap) => (heap / 1e6).toFixed(1)).join(" "));
  expect(heaps.at(-1) ?? 0).toBeLessThan(1.5 * (heaps[4] ?? 0));
  await close(watched);
});
