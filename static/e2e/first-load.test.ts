/** What a browser fetches for an empty home page, and what happens where the rest cannot be fetched. */
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { close, finalAnswer, launch, open, waitForEnd, wide } from "./browser";
import { OwnServer } from "./own-server";

/** The page itself, scripts and styles, as gzip: all that comes before the browser is idle. */
const boundBytes = 140_000;

let browser: Browser;
let server: OwnServer;
beforeAll(async () => {
  [browser, server] = await Promise.all([launch(), OwnServer.start()]);
});
afterAll(() => Promise.all([browser.close(), server.close()]));

/** Never idle: what is fetched ahead stays away. */
const keepBusy = (page: Page) =>
  page.addInitScript(() => {
    window.requestIdleCallback = () => 0;
  });

const question = (page: Page) => page.getByLabel("Your question");

/** How long a file is as gzip, whichever encoding this browser took. */
async function gzipBytes(path: string): Promise<number> {
  const response = await fetch(new URL(path, server.origin), {
    headers: { "accept-encoding": "gzip" },
  });
  await response.arrayBuffer();
  expect(response.headers.get("content-encoding"), path).toBe("gzip");
  return Number(response.headers.get("content-length"));
}

async function bytesOf(paths: readonly string[]): Promise<number> {
  const sizes = await Promise.all(paths.map(gzipBytes));
  return sizes.reduce((sum, one) => sum + one, 0);
}

it.each(["en-US", "de-DE"])("an empty home page takes 140 kB at most (%s)", async (locale) => {
  const watched = await open(browser, server, { viewport: wide, locale });
  const { page } = watched;
  await keepBusy(page);
  const fetched = new Set<string>();
  page.on("request", (request) => {
    const { pathname } = new URL(request.url());
    if (pathname === "/" || pathname.startsWith("/assets/")) fetched.add(pathname);
  });
  await page.goto("/");
  // The council is known; and nothing more is asked for.
  await page.locator(".seats li").first().waitFor();
  await page.waitForLoadState("networkidle");
  // A catalogue grows with the words of the page, and is fetched for its own language only.
  const isCatalogue = (path: string) => /\/de-[^/]*\.js$/.test(path);
  const paths = [...fetched];
  expect(paths.filter(isCatalogue).length).toBe(locale === "de-DE" ? 1 : 0);
  expect(paths.length).toBeGreaterThan(3);
  expect(await bytesOf(paths.filter((path) => !isCatalogue(path)))).toBeLessThanOrEqual(boundBytes);
  await close(watched);
});

it("a first question that comes before the rest waits for it, and is asked", async () => {
  const watched = await open(browser, server, { viewport: wide });
  const { page } = watched;
  await keepBusy(page);
  await page.goto("/");
  await question(page).fill("Does it wait?");
  await page.getByRole("button", { name: "Ask", exact: true }).click();
  await page.waitForURL(/\/c\//);
  await waitForEnd(page);
  expect(await finalAnswer(page).count()).toBe(1);
  // The same from its address alone.
  await page.reload();
  await finalAnswer(page).waitFor();
  await close(watched);
});

it("where the rest cannot be fetched the question stays, and a reload is offered", async () => {
  const watched = await open(browser, server, { viewport: wide });
  const { page, faults } = watched;
  await keepBusy(page);
  await page.goto("/");
  await page.locator(".seats li").first().waitFor();
  // As after an update of the server: the old parts are gone.
  await page.route(/\/assets\/.*\.js$/, (route) => route.fulfill({ status: 404, body: "" }));
  await question(page).fill("Is it kept?");
  await page.getByRole("button", { name: "Ask", exact: true }).click();
  await page.getByText("A part of this page could not be loaded").waitFor();
  expect(new URL(page.url()).pathname).toBe("/");
  await page.unroute(/\/assets\/.*\.js$/);
  await page.getByRole("link", { name: "Reload the page" }).click();
  await expect.poll(() => question(page).inputValue()).toBe("Is it kept?");
  await page.getByRole("button", { name: "Ask", exact: true }).click();
  await page.waitForURL(/\/c\//);
  await waitForEnd(page);
  // The parts that were cut are what this is about.
  faults.splice(0, faults.length, ...faults.filter((fault) => !/404|MIME/.test(fault)));
  await close(watched);
});
