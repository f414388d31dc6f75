/** The rules of accessibility that a machine can check. */
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

interface AxeResults {
  violations: { id: string; help: string; nodes: { html: string }[] }[];
}
interface AxeWindow {
  axe: { run(): Promise<AxeResults> };
}

const axePath = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

/** Past the page's policy, which rightly allows no foreign script: through the debugger. */
export async function violations(page: Page): Promise<string[]> {
  await page.evaluate(await readFile(axePath, "utf8"));
  const results = await page.evaluate(() => (window as unknown as AxeWindow).axe.run());
  return results.violations.map(
    ({ id, help, nodes }) => `${id}: ${help}: ${nodes.map((node) => node.html).join(" | ")}`,
  );
}
