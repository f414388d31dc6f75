/** The way to a view. */
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { open, type Watched } from "../browser";
import type { Stage } from "./scenes";
import type { View } from "./views";

/** The page is drawn, and nothing says that it is on its way. */
const loaded = (page: Page) =>
  page.waitForFunction(
    () =>
      document.querySelector("main") &&
      !document.querySelector(".page-wait, .waiting") &&
      ![...document.querySelectorAll(".quiet")].some((one) =>
        /^Loading/.test(one.textContent ?? ""),
      ),
  );

/** On a page of its own: what a view routes or keeps is not the next one's. */
export async function visit(
  browser: Browser,
  stage: Stage,
  view: View,
  options: BrowserContextOptions,
): Promise<Watched> {
  const server = view.empty ? stage.empty : stage.server;
  const watched = await open(browser, server, { ...options, reducedMotion: "reduce" });
  const { page } = watched;
  page.setDefaultTimeout(15_000);
  // On a slow machine the network is idle before the page's code has run.
  await page.goto(view.path, { waitUntil: "networkidle" });
  await loaded(page);
  await view.act?.(page);
  if (!view.loading) await loaded(page);
  // Whatever came with it has its place.
  await page.evaluate(() => new Promise(requestAnimationFrame));
  return watched;
}
