/** A conversation of a year, and a tab that stays open: measured against what is always there. */
import type { Browser, CDPSession, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { close, launch, open, send, waitForEnd } from "./browser";
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

it("draws the newest of 200 turns at once, and the others when the reader comes near", async () => {
  const watched = await open(browser, server);
  const { page } = watched;
  await takePulse(page);
  await timeToShow(page, "/", "Ask the council");
  const home: number[] = [];
  const long: number[] = [];
  for (let tries = 0; tries < 5; tries += 1) {
    home.push(await timeToShow(page, "/", "Ask the council"));
    long.push(await timeToShow(page, conversation, `Question ${turns}:`));
  }
  // What the server needs for it is the server's; the page adds the rest.
  const [served, bytes] = await page.evaluate(
    async (path) => {
      const times: number[] = [];
      let bytes = 0;
      for (let tries = 0; tries < 3; tries += 1) {
        const start = performance.now();
        bytes = (await (await fetch(path)).text()).length;
        times.push(performance.now() - start);
      }
      return [Math.min(...times), bytes] as const;
    },
    `/api${conversation.replace("/c/", "/conversations/")}`,
  );
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
    `of which the server has ${served.toFixed(0)} ms (${(bytes / 1e6).toFixed(1)} MB); scrolling: frames,`,
    `median / p95 / p99 ${[0.5, 0.95, 0.99].map((share) => quantile(frames, share).toFixed(1)).join(" / ")} ms,`,
    `longest task ${Math.max(0, ...tasks).toFixed(0)} ms`,
  );
  expect(await drawn()).toBeGreaterThan(atOnce);
  await page.keyboard.press("Home");
  await close(watched);
});

async function heapOf(cdp: CDPSession): Promise<number> {
  await cdp.send("HeapProfiler.collectGarbage");
  const { usedSize } = await cdp.send("Runtime.getHeapUsage");
  return usedSize;
}

it("needs no more memory after twenty runs than after five", async () => {
  const watched = await open(browser, server);
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
