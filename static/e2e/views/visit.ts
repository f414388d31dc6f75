/** The way to a view. */
import type {
  Browser,
  BrowserContext,
  BrowserContextOptions,
  Page,
  Request,
} from "playwright-core";
import { contextAt, type Watched, watched } from "../browser";
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

/** Everything that a page keeps in the browser, but for what it has fetched. */
const kept = "cookies,local_storage,indexeddb,cache_storage";

/** A view on a page of its own. */
interface Visit extends Watched {
  /** Ends it: what the view has routed, kept or been allowed is not the next one's. */
  leave(): Promise<void>;
}

/**
 * Goes to views in one shape, one after the other. Loading the page anew takes most of the time of each, so what one has
 * fetched is kept for the next.
 */
export function visitor(browser: Browser, stage: Stage, options: BrowserContextOptions) {
  const contexts = new Map<string, Promise<BrowserContext>>();
  return async (view: View): Promise<Visit> => {
    const { origin } = view.empty ? stage.empty : stage.server;
    const known = contexts.get(origin);
    const opened = known ?? contextAt(browser, origin, { ...options, reducedMotion: "reduce" });
    contexts.set(origin, opened);
    const context = await opened;
    const { page, faults } = await watched(context, origin);
    const leave = async () => {
      await page.close();
      await Promise.all([context.setOffline(false), context.clearPermissions()]);
    };
    try {
      const browsing = await context.newCDPSession(page);
      await browsing.send("Storage.clearDataForOrigin", { origin, storageTypes: kept });
      page.setDefaultTimeout(15_000);
      await goTo(page, view.path);
      await view.act?.(page);
      if (!view.loading) await loaded(page);
      // Whatever came with it has been laid out.
      await page.evaluate(() => new Promise(requestAnimationFrame));
      return { page, faults, leave };
    } catch (error) {
      await leave();
      throw error;
    }
  };
}
