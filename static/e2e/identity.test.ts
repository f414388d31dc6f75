/** A browser that is shared: nobody finds in it what the last user left. */
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  ask,
  bothShapes,
  close,
  launch,
  launchWhole,
  open,
  type Watched,
  waitForEnd,
  wide,
} from "./browser";
import { OwnServer, pace } from "./own-server";

let browser: Browser;
let server: OwnServer;
beforeAll(async () => {
  [browser, server] = await Promise.all([
    launch(),
    // The test is the proxy: it says in headers who somebody is.
    OwnServer.start({
      ...pace.quick,
      LLM_COUNCIL__AUTH__MODE: "proxy",
      LLM_COUNCIL__AUTH__TRUSTED_PROXIES: "127.0.0.1/32",
    }),
  ]);
});
afterAll(() => Promise.all([browser.close(), server.close()]));

const signIn = (context: BrowserContext, user: string) =>
  context.setExtraHTTPHeaders({ "remote-user": user });
/** Waits until the page asks for nothing more by itself: a request still to come would be the first to meet the next user. */
async function settled(page: Page, load: () => Promise<unknown>) {
  const asked = page.waitForResponse("**/api/me/data");
  await load();
  await asked;
  await page.locator(".seats").waitFor();
}
/** The same once there is a question in the box: what it costs is asked a while after the last letter. */
const estimated = (page: Page) => page.locator(".estimate").waitFor({ state: "attached" });
const box = (page: Page) => page.getByLabel("Your question");
const secret = "Should I leave the company?";
/** Everything that the browser has stored for this page, and what it shows. */
const everything = async (page: Page) =>
  (await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]))) +
  (await page.content()) +
  (await box(page).inputValue());

describe.each(bothShapes)("on %s", (_, shape) => {
  let watched: Watched;
  let page: Page;
  beforeEach(async () => {
    watched = await open(browser, server, shape);
    page = watched.page;
    await signIn(page.context(), "ann");
    await settled(page, () => page.goto("/"));
    await box(page).fill(secret);
    await estimated(page);
  });
  afterEach(() => close(watched));

  it("a draft stays its writer's over a reload, and is gone once another has signed in", async () => {
    await settled(page, () => page.reload());
    await expect.poll(() => box(page).inputValue()).toBe(secret);
    await estimated(page);
    await signIn(page.context(), "bob");
    await settled(page, () => page.goto("/"));
    expect(await page.evaluate(() => localStorage.getItem("user"))).toBe("bob");
    expect(await everything(page)).not.toContain(secret);
    await signIn(page.context(), "ann");
    await settled(page, () => page.goto("/"));
    expect(await page.evaluate(() => localStorage.getItem("user"))).toBe("ann");
    expect(await everything(page)).not.toContain(secret);
  });

  it("a page that comes back to another user is loaded anew", async () => {
    await signIn(page.context(), "bob");
    const anew = page.waitForEvent("load");
    await page.evaluate(() => dispatchEvent(new Event("focus")));
    await anew;
    await page.locator(".seats").waitFor();
    expect(await everything(page)).not.toContain(secret);
  });

  it("after the session has ended nothing is asked for the last user by the next one", async () => {
    await page.route("**/api/**", (route) => route.fulfill({ status: 401, json: {} }));
    await box(page).press("ControlOrMeta+Enter");
    await page.getByRole("link", { name: "Reload the page to sign in again" }).waitFor();
    expect(await box(page).inputValue()).toBe(secret);
    await page.unroute("**/api/**");
    const anew = page.waitForEvent("load");
    await signIn(page.context(), "bob");
    await box(page).press("ControlOrMeta+Enter");
    await anew;
    await nothingIsAskedBy("bob");
  });

  it("the server takes nothing of a page whose user is not the one who is signed in", async () => {
    const anew = page.waitForEvent("load");
    await signIn(page.context(), "bob");
    await box(page).press("ControlOrMeta+Enter");
    await anew;
    await nothingIsAskedBy("bob");
  });

  it("the next one begins at the beginning, also where the page had gone on to what was to be asked", async () => {
    const wentOn = page.waitForURL(/\/c\//);
    await page.route("**/message/stream", async (route) => {
      await wentOn;
      await route.continue();
    });
    await signIn(page.context(), "bob");
    await box(page).press("ControlOrMeta+Enter");
    await wentOn;
    await page.waitForURL((url) => url.pathname === "/");
    await nothingIsAskedBy("bob");
  });

  async function nothingIsAskedBy(user: string) {
    await expect.poll(() => page.evaluate(() => localStorage.getItem("user"))).toBe(user);
    await page.locator(".seats").waitFor();
    expect(await everything(page)).not.toContain(secret);
    const list = await page.request.get("/api/conversations");
    expect(await list.json()).toEqual([]);
    expect(watched.faults.splice(0).filter((fault) => !/status of (401|412)/.test(fault))).toEqual(
      [],
    );
  }
});

it("Back does not show the last user's page out of the browser's own cache", async () => {
  const caching = await launchWhole({ ignoreDefaultArgs: ["--disable-back-forward-cache"] });
  const watched = await open(caching, server, { viewport: wide });
  const { page } = watched;
  await signIn(page.context(), "ann");
  await ask(page, secret);
  await waitForEnd(page);
  const path = new URL(page.url()).pathname;
  await page.evaluate(() => {
    addEventListener("pageshow", ({ persisted }) => {
      if (persisted) sessionStorage.setItem("came back", document.documentElement.style.visibility);
    });
  });
  await page.goto("/openapi.json").catch(() => page.goto("/health/live"));
  await signIn(page.context(), "bob");
  await page.goBack({ waitUntil: "commit" });
  await page.getByRole("heading", { name: "This conversation is not here" }).waitFor();
  expect(new URL(page.url()).pathname).toBe(path);
  expect(await page.content()).not.toContain(secret);
  expect(await page.evaluate(() => sessionStorage.getItem("came back"))).toBe("hidden");
  expect(watched.faults.splice(0).every((fault) => fault.includes("404"))).toBe(true);
  await close(watched);
  await caching.close();
});
