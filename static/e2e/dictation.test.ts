/** Dictation, with a browser whose ears are the test's: what it hears, and what goes wrong. */
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { violations } from "./axe";
import { bothShapes, close, launch, open, type Watched, waitForEnd, wide } from "./browser";
import { OwnServer } from "./own-server";

let browser: Browser;
let server: OwnServer;
beforeAll(async () => {
  [browser, server] = await Promise.all([launch(), OwnServer.start()]);
});
afterAll(() => Promise.all([browser.close(), server.close()]));

interface Ears {
  lang: string;
  state: string;
  hear: (...texts: [string, boolean][]) => void;
  fail: (error: string) => void;
}
declare global {
  interface Window {
    ears?: Ears;
  }
}

/** Before any script of the page. */
function giveEars() {
  class Recognition {
    lang = "";
    state = "new";
    onresult: ((event: object) => void) | null = null;
    onerror: ((event: object) => void) | null = null;
    onend: (() => void) | null = null;
    start() {
      this.state = "listening";
      window.ears = this as unknown as Ears;
    }
    stop() {
      this.state = "stopped";
      this.onend?.();
    }
    abort() {
      this.state = "aborted";
      this.onerror?.({ error: "aborted" });
      this.onend?.();
    }
    hear(...texts: [string, boolean][]) {
      const results = texts.map(([transcript, isFinal]) => ({ isFinal, 0: { transcript } }));
      this.onresult?.({ results });
    }
    fail(error: string) {
      this.onerror?.({ error });
      this.onend?.();
    }
  }
  Object.assign(window, { SpeechRecognition: Recognition });
}

const button = (page: Page) => page.getByRole("button", { name: "Dictate" });
const box = (page: Page) => page.getByLabel("Your question");
const hear = (page: Page, ...texts: [string, boolean][]) =>
  page.evaluate((said) => window.ears?.hear(...said), texts);

describe.each(bothShapes)("on %s", (_, shape) => {
  let watched: Watched;
  let page: Page;
  beforeEach(async () => {
    watched = await open(browser, server, shape);
    page = watched.page;
  });
  afterEach(() => close(watched));

  async function switchOn() {
    await page.goto("/settings");
    await page.getByRole("checkbox", { name: /^Dictation/ }).check();
  }

  it("is off until it is switched on, writes what is heard, and never sends", async () => {
    await page.addInitScript(giveEars);
    await page.goto("/");
    await box(page).waitFor();
    expect(await button(page).count()).toBe(0);
    await switchOn();
    await page.getByText("browsers may send your voice to their maker").waitFor();
    expect(await violations(page)).toEqual([]);
    let asked = 0;
    page.on("request", (request) => {
      if (request.method() === "POST" && request.url().includes("/message")) asked += 1;
    });
    await page.goto("/");
    await box(page).fill("Tell me");
    await button(page).click();
    await expect.poll(() => button(page).getAttribute("aria-pressed")).toBe("true");
    await page.getByText("Listening. Press it again to stop.").waitFor();
    expect(await violations(page)).toEqual([]);
    expect(await page.evaluate(() => window.ears?.lang)).toMatch(/^en\b/);
    await hear(page, ["why the", false]);
    await expect.poll(() => box(page).inputValue()).toBe("Tell me why the");
    await hear(page, ["why the sky", true], ["is", false]);
    await expect.poll(() => box(page).inputValue()).toBe("Tell me why the sky is");
    // What is typed meanwhile stays.
    await box(page).fill("Tell me, why is the sky");
    await hear(page, ["why the sky", true], ["is", false], ["so", false]);
    await hear(page, ["why the sky", true], ["blue", true]);
    await expect.poll(() => box(page).inputValue()).toBe("Tell me, why is the sky blue");
    const { width } = page.viewportSize() ?? wide;
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(
      width,
    );
    await button(page).press("Enter");
    await expect.poll(() => button(page).getAttribute("aria-pressed")).toBe("false");
    expect(await page.evaluate(() => window.ears?.state)).toBe("stopped");
    expect(asked).toBe(0);

    // What comes late belongs to no other question.
    await button(page).press("Enter");
    await hear(page, ["please", false]);
    await expect.poll(() => box(page).inputValue()).toBe("Tell me, why is the sky blue please");
    await page.getByRole("button", { name: "Ask", exact: true }).click();
    await waitForEnd(page);
    expect(asked).toBe(1);
    await hear(page, ["please", true]);
    expect(await box(page).inputValue()).toBe("");
  });

  it("says what went wrong", async () => {
    await page.addInitScript(giveEars);
    await switchOn();
    await page.goto("/");
    for (const [error, text] of [
      ["not-allowed", "The browser does not let this page use the microphone."],
      ["network", "The browser’s service for speech cannot be reached."],
      ["something-new", "The browser could not turn speech into text."],
    ] as const) {
      await button(page).press("Enter");
      await page.evaluate((kind) => window.ears?.fail(kind), error);
      await page.getByRole("alert").getByText(text).waitFor();
      await expect.poll(() => button(page).getAttribute("aria-pressed")).toBe("false");
    }
    expect(await violations(page)).toEqual([]);
  });

  it("is nowhere where the browser cannot listen", async () => {
    await page.addInitScript(() => {
      for (const name of ["SpeechRecognition", "webkitSpeechRecognition"]) {
        Object.defineProperty(window, name, { value: undefined });
      }
    });
    await page.goto("/settings");
    await page.getByRole("checkbox", { name: /^Shortcuts of a single key/ }).waitFor();
    expect(await page.getByRole("checkbox", { name: /^Dictation/ }).count()).toBe(0);
    const front = await page.request.get("/");
    expect(front.headers()["permissions-policy"]).toContain("microphone=(self)");
  });
});
