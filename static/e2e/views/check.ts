/**
 * Every view and state in one shape: no rule of axe is broken, nothing is wider than the screen, and
 * nothing fails or leaves for another place.
 */
import type { Browser, BrowserContextOptions } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { violations } from "../axe";
import { launch } from "../browser";
import { build, type Conversations, fill, type Stage, takeDown } from "./scenes";
import { emptyViews, names, type View, views } from "./views";
import { visitor } from "./visit";

/** What the console notes of a request that was refused. */
const refusal = /^console: Failed to load resource: /;

export function checkViews(options: BrowserContextOptions) {
  let browser: Browser;
  let stage: Stage;
  let visit: ReturnType<typeof visitor>;
  beforeAll(async () => {
    [browser, stage] = await Promise.all([launch(), build()]);
    visit = visitor(browser, stage, options);
  }, 120_000);
  afterAll(async () => {
    await browser.close();
    await takeDown(stage);
  });

  async function check(view: View) {
    const { page, faults, leave } = await visit(view);
    try {
      expect(await violations(page)).toEqual([]);
      const tooWide = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
      expect(tooWide).toBeLessThanOrEqual(0);
      expect(view.refused ? faults.filter((fault) => !refusal.test(fault)) : faults).toEqual([]);
    } finally {
      await leave();
    }
  }

  it.each(emptyViews)("$name", check);

  describe("once something was asked", () => {
    let to: Conversations;
    beforeAll(async () => {
      to = await fill(stage);
    }, 120_000);

    it.each(names)("%s", async (name) => {
      const view = views(to).find((one) => one.name === name);
      if (!view) throw new Error(`there is no view ${name}`);
      await check(view);
    });
  });
}
