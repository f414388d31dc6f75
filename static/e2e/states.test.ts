/** What the page shows while something is not as it should be. */
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { violations } from "./axe";
import {
  ask,
  bothShapes,
  close,
  finalAnswer,
  forgiveCuts,
  launch,
  open,
  patience,
  type Watched,
  waitForEnd,
} from "./browser";
import { OwnServer, pace } from "./own-server";

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());

const box = (page: Page) => page.getByLabel("Your question");
const askButton = (page: Page) => page.getByRole("button", { name: "Ask", exact: true });

const shapes = bothShapes;

describe("a server that drains", () => {
  let server: OwnServer;
  beforeAll(async () => {
    server = await OwnServer.start({ ...pace.endless, LLM_COUNCIL__SERVER__DRAIN_SECONDS: "15" });
  });
  afterAll(() => server.close());

  it.each(shapes)(
    "on %s is said at the composer, and the draft goes on where it was",
    async (_, shape) => {
      const [drafts, asks] = await Promise.all([
        open(browser, server, shape),
        open(browser, server, shape),
      ]);
      // One page has heard of the end through a run that it follows, and is elsewhere meanwhile.
      await ask(drafts.page, "How long is a piece of string?");
      await drafts.page.locator(".answer-writing").first().waitFor({ timeout: patience });
      await drafts.page.goBack();
      await box(drafts.page).fill("Is it back?");
      // The other has not, and asks.
      await asks.page.goto("/");
      await asks.page.locator(".seats").waitFor();
      await box(asks.page).fill("Is anybody there?");

      const ended = server.end("SIGTERM");
      const notice = drafts.page.getByText("The server is restarting.", { exact: true });
      await notice.waitFor();
      // While it still answers what is only read.
      await askButton(asks.page).click();
      expect(await askButton(drafts.page).isDisabled()).toBe(true);
      expect(await violations(drafts.page)).toEqual([]);
      await asks.page.getByText("The question is sent as soon as it is back.").waitFor();
      expect(await violations(asks.page)).toEqual([]);
      await ended;
      await server.startAgain();
      await expect.poll(() => notice.count(), { timeout: patience }).toBe(0);
      expect(await box(drafts.page).inputValue()).toBe("Is it back?");
      expect(await askButton(drafts.page).isEnabled()).toBe(true);
      await asks.page.locator(".answer-writing").first().waitFor({ timeout: patience });
      for (const { page } of [drafts, asks]) {
        if (page === drafts.page) await page.goForward();
        await page.getByRole("button", { name: "Stop" }).click();
        await page.getByText("Stopped.", { exact: true }).waitFor();
      }
      for (const watched of [drafts, asks]) {
        forgiveCuts(watched);
        await close(watched);
      }
    },
  );
});

describe("with a server that runs", () => {
  let server: OwnServer;
  let conversation: string;
  beforeAll(async () => {
    server = await OwnServer.start();
    const watched = await open(browser, server);
    await ask(watched.page, "What is a good name for a kiln?");
    await waitForEnd(watched.page);
    conversation = new URL(watched.page.url()).pathname;
    await close(watched);
  });
  afterAll(() => server.close());

  describe.each(shapes)("on %s", (_, shape) => {
    let watched: Watched;
    let page: Page;
    beforeEach(async () => {
      watched = await open(browser, server, shape);
      page = watched.page;
    });
    afterEach(() => close(watched));

    it("a conversation that is not there is said to be so", async () => {
      await page.goto("/c/00000000-0000-7000-8000-000000000000");
      await page.getByRole("heading", { name: "This conversation is not here" }).waitFor();
      expect(await violations(page)).toEqual([]);
      expect(watched.faults.splice(0).every((fault) => fault.includes("404"))).toBe(true);
    });

    it("what loads is outlined, and nothing jumps when it is there", async () => {
      let answer = () => {};
      const held = new Promise<void>((done) => {
        answer = done;
      });
      await page.route(/\/api\/conversations/, async (route) => {
        await held;
        await route.continue();
      });
      await page.goto(conversation);
      await page.getByText("Loading the conversation…").waitFor({ state: "attached" });
      expect(await violations(page)).toEqual([]);
      const before = await page.locator(".skeleton-question").boundingBox();
      answer();
      await finalAnswer(page).waitFor();
      const after = await page.locator(".question").boundingBox();
      expect(Math.abs((before?.y ?? 0) - (after?.y ?? 99))).toBeLessThan(16);
    });

    it("what is below an answer does not move when it is known what was said of it", async () => {
      let answer = () => {};
      const held = new Promise<void>((done) => {
        answer = done;
      });
      await page.route(/\/api\/runs\/[^/]+\/feedback$/, async (route) => {
        await held;
        await route.continue();
      });
      await page.goto(conversation);
      const final = finalAnswer(page);
      const height = async () => (await final.boundingBox())?.height;
      // A text is no longer as it was written.
      await final.locator(".final-text p").first().waitFor();
      await final.getByRole("button", { name: "Ask again…" }).waitFor();
      const before = await height();
      expect(await final.getByRole("button", { name: "Good answer" }).count()).toBe(0);
      answer();
      await final.getByRole("button", { name: "Good answer" }).waitFor();
      expect(await height()).toBe(before);
    });

    it("no network is said, and everything typed is kept", async () => {
      await page.goto("/");
      await page.locator(".seats").waitFor();
      await page.context().setOffline(true);
      await page.getByText("This device is offline.").waitFor();
      await box(page).fill("Is anybody there?");
      await askButton(page).click();
      await page.getByText("Not sent.").waitFor();
      expect(await violations(page)).toEqual([]);
      expect(await box(page).inputValue()).toBe("Is anybody there?");
      await page.context().setOffline(false);
      await expect.poll(() => page.getByText("This device is offline.").count()).toBe(0);
      await expect.poll(() => page.getByText("Not sent.").count()).toBe(0);
      await askButton(page).click();
      await waitForEnd(page);
      watched.faults.splice(
        0,
        watched.faults.length,
        ...watched.faults.filter(
          (fault) => !/ERR_INTERNET_DISCONNECTED|Unable to preload CSS/.test(fault),
        ),
      );
    });

    it("a session that has ended is said, by whatever the proxy answers with", async () => {
      await page.goto("/");
      await page.locator(".seats").waitFor();
      await box(page).fill("Am I still here?");
      for (const answer of [
        { status: 401, body: "" },
        { status: 302, headers: { location: "https://login.example/" } },
        { status: 200, contentType: "text/html", body: "<h1>Sign in</h1>" },
      ]) {
        await page.route("**/api/**", (route) => route.fulfill(answer));
        await askButton(page).click();
        await page.getByText("You are signed out.", { exact: true }).waitFor();
        expect(await box(page).inputValue()).toBe("Am I still here?");
        await page.unroute("**/api/**");
        // Signed in again in another tab: the next call that is answered says so, whichever it is. What is below the
        // notice moves then, so this is pressed by key.
        await askButton(page).press("Enter");
        await page.waitForURL(/\/c\//);
        await page.getByText("You are signed out.", { exact: true }).waitFor({ state: "detached" });
        await page.goto("/");
        await box(page).fill("Am I still here?");
      }
      watched.faults.splice(
        0,
        watched.faults.length,
        ...watched.faults.filter((fault) => !/401|login\.example/.test(fault)),
      );
    });

    it("a part that cannot be fetched leaves the rest, and says what to do", async () => {
      await page.route(/\/assets\/settings-.*\.js$/, (route) => route.fulfill({ status: 404 }));
      await page.goto("/");
      await page.evaluate(() => {
        history.pushState(null, "", "/settings");
      });
      await page.getByRole("heading", { name: "This page could not be loaded" }).waitFor();
      expect(await violations(page)).toEqual([]);
      watched.faults.splice(0);
    });

    it("a long question grows the box to a part of the screen, and is kept whole", async () => {
      await page.goto("/");
      await page.locator(".seats").waitFor();
      const height = async () => (await box(page).boundingBox())?.height ?? 0;
      const one = await height();
      await box(page).fill("one\ntwo\nthree");
      expect(await height()).toBeGreaterThan(one);
      const long = "A line of a long text that was copied from elsewhere.\n".repeat(1_500);
      await box(page).fill(long);
      expect(await height()).toBeLessThan(shape.viewport.height * 0.45);
      expect(await askButton(page).isEnabled()).toBe(true);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(
        shape.viewport.width,
      );
      await page.reload();
      await expect.poll(() => box(page).inputValue()).toBe(long);
      await box(page).fill("");
      expect(Math.abs((await height()) - one)).toBeLessThan(2);
    });
  });
});
