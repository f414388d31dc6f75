/** The rules of accessibility that a machine can check. */

import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";
import { expect } from "vitest";

interface AxeResults {
  violations: { id: string; help: string; nodes: { html: string }[] }[];
}
interface AxeWindow {
  axe: { run(options: object): Promise<AxeResults> };
}

const axePath = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
let axe: Promise<string> | undefined;

/** Past the page's policy, which rightly allows no foreign script: through the debugger. */
export async function violations(page: Page): Promise<string[]> {
  if (!(await page.evaluate(() => "axe" in window))) {
    axe ??= readFile(axePath, "utf8");
    await page.evaluate(await axe);
  }
  return page.evaluate(async () => {
    // Every rule is tried. Most of a report is what passed, and that takes longer to fetch.
    const report = { resultTypes: ["violations"], selectors: false };
    const { violations } = await (window as unknown as AxeWindow).axe.run(report);
    return violations.map(
      ({ id, help, nodes }) => `${id}: ${help}: ${nodes.map((node) => node.html).join(" | ")}`,
    );
  });
}

/** Nothing sticks out past the side of the page, and axe finds nothing. */
export async function fitsAndBreaksNoRule(page: Page) {
  const [needed, width] = await page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    return [scrollWidth, clientWidth] as const;
  });
  expect(needed).toBeLessThanOrEqual(width);
  expect(await violations(page)).toEqual([]);
}
