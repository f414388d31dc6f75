/** The way to a view. */
import type { Browser, BrowserContextOptions, Page, Request } from "playwright-core";
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

/** Goes there; resolves once nothing is on its way and the page, with time to spare, asks for no more. */
async function goTo(page: Page, path: string) {
  const underway = new Set<Request>();
  page.on("request", (request) => underway.add(request));
  page.on("requestfinished", (request) => underway.delete(request));
  page.on("requestfailed", (request) => underway.delete(request));
  await page.goto(path);
  for (let quiet = 0; quiet < 3; quiet = underway.size === 0 ? quiet + 1 : 0) {
    await page.evaluate(
      () => new Promise((done) => requestAnimationFrame(() => requestIdleCallback(done))),
    );
  }
  await loaded(page);
}

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
  await goTo(page, view.path);
  await view.act?.(page);
  if (!view.loading) await loaded(page);
  // Whatever came with it has its place.
  await page.evaluate(() => new Promise(requestAnimationFrame));
  return watched;
}
