/**
 * Takes a picture of every view and state, on a phone and on a wide screen, in light and in dark:
 * `npm run screenshots`, or `npm run screenshots -- -t settings` for some of them. They are for eyes;
 * nothing is compared.
 */
import { mkdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, it } from "vitest";
import { launch, shapes } from "../browser";
import { build, type Conversations, fill, holdEachStage, type Stage, takeDown } from "./scenes";
import { emptyViews, names, type View, views } from "./views";
import { visitor } from "./visit";

const folder =
  process.env.SCREENSHOTS_DIR ?? fileURLToPath(new URL("../../screenshots", import.meta.url));

const kinds = (["light", "dark"] as const).flatMap((colorScheme) =>
  Object.entries(shapes).map(([shape, options]) => ({
    name: `${shape}-${colorScheme}`,
    colorScheme,
    ...options,
  })),
);

let browser: Browser;
let stage: Stage;
let to: Conversations;
/** In each shape. */
let visits: Map<string, ReturnType<typeof visitor>>;
beforeAll(async () => {
  [browser, stage] = await Promise.all([launch(), build()]);
  visits = new Map(
    kinds.map(({ name, ...options }) => [name, visitor(browser, stage, options)] as const),
  );
  await Promise.all(kinds.map(({ name }) => mkdir(`${folder}/${name}`, { recursive: true })));
}, 120_000);
afterAll(async () => {
  await browser.close();
  await takeDown(stage);
});

async function still(page: Page, shape: string, view: Pick<View, "name" | "whole">) {
  await page.evaluate(() => document.fonts.ready);
  await page.screenshot({
    path: `${folder}/${shape}/${view.name}.png`,
    fullPage: view.whole ?? false,
    animations: "disabled",
    caret: "hide",
  });
}

/** In one shape. */
async function take({ name }: (typeof kinds)[number], view: View) {
  const visit = visits.get(name);
  if (!visit) throw new Error(`there is no shape ${name}`);
  const { page, leave } = await visit(view);
  try {
    await still(page, name, view);
  } finally {
    await leave();
  }
}

it.each(emptyViews)("$name", async (view) => {
  await Promise.all(kinds.map((shape) => take(shape, view)));
});

describe("once something was asked", () => {
  beforeAll(async () => {
    to = await fill(stage);
  }, 120_000);

  it("live", async () => {
    const contexts = await Promise.all(
      kinds.map(({ name: _, ...options }) =>
        browser.newContext({ ...options, reducedMotion: "reduce", serviceWorkers: "block" }),
      ),
    );
    const pages = await Promise.all(contexts.map((context) => context.newPage()));
    const [first] = pages;
    if (!first) throw new Error("there is no shape");
    let seen = 0;
    await holdEachStage(stage, first, async (_, path) => {
      seen += 1;
      for (const [at, page] of pages.entries()) {
        if (page !== first) await page.goto(`${stage.server.origin}${path}`);
        await page.locator("[aria-current=step]").waitFor();
        await still(page, kinds[at]?.name ?? "", { name: `live-stage-${seen}` });
      }
    });
    await Promise.all(contexts.map((context) => context.close()));
  });

  it.each(names)("%s", async (name) => {
    const view = views(to).find((one) => one.name === name);
    if (view) await Promise.all(kinds.map((shape) => take(shape, view)));
  });
});
