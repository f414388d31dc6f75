/** A run survives what happens to the page, the network and the server, and the page shows it. */
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  ask,
  close,
  forgiveCuts,
  launch,
  open,
  patience,
  type Watched,
  waitForEnd,
  wide,
} from "./browser";
import { OwnServer, pace } from "./own-server";
import { expectGrowth, expectStored, storedAnswer, textsSoFar, watchTexts } from "./texts";
import { Wire } from "./wire";

let browser: Browser;
let server: OwnServer;
beforeAll(async () => {
  [browser, server] = await Promise.all([launch(), OwnServer.start(pace.steady)]);
});
afterAll(() => Promise.all([browser.close(), server.close()]));

const question = "Should a small town build a tram?";

type Stage = "Answers" | "Reviews" | "Final answer";

/** Waits until the run is in the middle of a stage: words of it are on the page. */
async function middleOf(page: Page, stage: Stage) {
  await page
    .getByRole("listitem")
    .filter({ hasText: stage })
    .and(page.locator("[aria-current=step]"))
    .waitFor({ timeout: patience });
  const text = {
    Answers: page.locator(".answer .markdown"),
    Reviews: page.locator(".review"),
    "Final answer": page.getByRole("region", { name: "Final answer" }).locator(".markdown"),
  }[stage];
  await text.first().waitFor({ timeout: patience });
}

/** The stored copy of a conversation, of whichever branch. */
const storedCopy = /\/api\/conversations\/[^/?]+(\?|$)/;

/** While the live copy of the run is on the page, no stored one takes its place. */
const keepLiveCopy = (page: Page) =>
  page.route(storedCopy, (route) =>
    route.request().method() === "GET" ? route.abort() : route.fallback(),
  );

describe("a network that is cut", () => {
  let slow: OwnServer;
  beforeAll(async () => {
    slow = await OwnServer.start(pace.slow);
  });
  afterAll(() => slow.close());

  let wire: Wire;
  let watched: Watched;
  beforeEach(async () => {
    wire = await Wire.to(slow.origin);
    watched = await open(browser, wire, { viewport: wide });
    await watchTexts(watched.page);
  });
  afterEach(async () => {
    forgiveCuts(watched);
    await close(watched);
    await wire.close();
  });

  it("in every stage leaves the text as it is, and loses and doubles nothing", async () => {
    const { page, faults } = watched;
    const status = page.locator(".link-status p");
    let isCut = wire.cutAfter(/"stage1_token"/g, 20);
    await ask(page, question);
    for (const next of [/"stage2_model_complete"/g, /"stage3_token"/g, null]) {
      await isCut;
      await status.getByText("Reconnecting…").waitFor();
      // From the end of the last stage on, nothing but the stream tells the page anything.
      if (next === null) await keepLiveCopy(page);
      else isCut = wire.cutAfter(next, 2);
      wire.mend();
      await expect.poll(() => status.count(), { timeout: patience }).toBe(0);
    }
    await waitForEnd(page);
    const seen = await textsSoFar(page);
    expectGrowth(seen, await storedAnswer(page));
    await page.unroute(storedCopy);
    await expectStored(page);
    // What the run itself brought, without the stored copy's help. Up to that moment stored copies may have been refused.
    const refused = faults.filter((fault) =>
      /net::ERR_FAILED \S+\/api\/conversations\//.test(fault),
    );
    expect(refused.length).toBeGreaterThan(0);
    faults.splice(0, faults.length, ...faults.filter((fault) => !refused.includes(fault)));
  });

  it("after the question was taken does not ask it twice", async () => {
    const { page } = watched;
    wire.loseAnswerTo(/^POST \S+\/message\/stream /);
    await ask(page, question);
    await middleOf(page, "Answers");
    expect(wire.lost).toBe(1);
    await waitForEnd(page);
    await expectStored(page);
  });

  it("before the question was taken keeps it, over a reload too", async () => {
    const { page } = watched;
    await page.goto("/");
    await page.getByLabel("Your question").fill(question);
    await page.route(/\/message\/stream$/, (route) => route.abort("connectionreset"));
    await page.getByLabel("Your question").press("Enter");
    await page.waitForURL(/\/c\//);
    await page.getByText("Reconnecting…").waitFor();
    await page.unroute(/\/message\/stream$/);
    await page.reload();
    await waitForEnd(page);
    await expectStored(page);
  });
});

describe("a page that is loaded again", () => {
  it("in each stage shows the run at once as far as it is, and to its end", async () => {
    const watched = await open(browser, server, { viewport: wide });
    const { page } = watched;
    await watchTexts(page);
    await ask(page, question);
    const seen: Record<string, string[]>[] = [];
    for (const stage of ["Answers", "Reviews", "Final answer"] as const) {
      await middleOf(page, stage);
      const before = await textsSoFar(page);
      await page.reload();
      // On a busy machine the last stage may be over by then.
      const stop = page.getByRole("button", { name: "Stop" });
      await stop.or(page.getByPlaceholder("Ask a follow-up")).first().waitFor();
      await page.locator(".answer .markdown").first().waitFor();
      const after = await textsSoFar(page);
      // Nothing is typed out again: the first text that is shown is the whole text so far.
      for (const [place, texts] of Object.entries(after)) {
        const first = texts.find((text) => text !== "") ?? "";
        expect(first.length).toBeGreaterThanOrEqual((before[place]?.at(-1) ?? "").length);
      }
      seen.push(before);
    }
    await waitForEnd(page);
    seen.push(await textsSoFar(page));
    const stored = await storedAnswer(page);
    for (const texts of seen) expectGrowth(texts, stored);
    await expectStored(page);
    await close(watched);
  });
});

it("two pages on one run show the same", async () => {
  const first = await open(browser, server, { viewport: wide });
  const second = await open(browser, server, { viewport: wide });
  await ask(first.page, question);
  await middleOf(first.page, "Answers");
  await watchTexts(second.page);
  await second.page.goto(first.page.url());
  await Promise.all([waitForEnd(first.page), waitForEnd(second.page)]);
  expectGrowth(await textsSoFar(second.page), await storedAnswer(second.page));
  await expectStored(first.page);
  await expectStored(second.page);
  await Promise.all([close(first), close(second)]);
});

describe("a server that restarts", () => {
  let own: OwnServer;
  beforeAll(async () => {
    own = await OwnServer.start({
      ...pace.steady,
      LLM_COUNCIL__SERVER__DRAIN_SECONDS: "1",
      LLM_COUNCIL__RUNS__LEASE_SECONDS: "1",
    });
  });
  afterAll(() => own.close());

  it.each([
    ["SIGTERM", "Answers"],
    ["SIGTERM", "Final answer"],
    ["SIGKILL", "Answers"],
  ] as const)(
    "by %s in the stage “%s” goes on with the run, and so does the page",
    async (signal, stage) => {
      const watched = await open(browser, own, { viewport: wide });
      const { page } = watched;
      await watchTexts(page);
      await ask(page, question);
      await middleOf(page, stage);
      await own.end(signal);
      await page.locator(".link-status p").waitFor();
      await own.startAgain();
      await waitForEnd(page);
      expectGrowth(await textsSoFar(page), await storedAnswer(page), { restarts: 1 });
      await expectStored(page);
      forgiveCuts(watched);
      await close(watched);
    },
  );
});

describe("a server whose places are taken", () => {
  let own: OwnServer;
  beforeAll(async () => {
    own = await OwnServer.start({
      ...pace.endless,
      LLM_COUNCIL__RUNS__MAX_LIVE: "1",
      LLM_COUNCIL__RUNS__MAX_QUEUED_PER_USER: "1",
    });
  });
  afterAll(() => own.close());

  it("shows the place in the queue, lets go of it, and keeps a question it does not take", async () => {
    const all = await Promise.all(
      ["first", "second", "third"].map(() => open(browser, own, { viewport: wide })),
    );
    const [first, second, third] = all as [Watched, Watched, Watched];
    await ask(first.page, question);
    await middleOf(first.page, "Answers");

    await ask(second.page, question);
    const place = second.page.getByText("Waiting for a free place: next in line", { exact: true });
    await place.waitFor();
    await second.page.reload();
    await place.waitFor();

    await third.page.goto("/");
    await third.page.getByLabel("Your question").fill("Is there room for one more?");
    await third.page.getByLabel("Your question").press("Enter");
    await third.page
      .getByRole("alert")
      .getByText(/Too many questions of yours are waiting/)
      .waitFor();
    expect(await third.page.getByLabel("Your question").inputValue()).toBe(
      "Is there room for one more?",
    );
    expect(third.faults.splice(0).join()).toMatch(/^[^,]*429[^,]*$/);

    await second.page.getByRole("button", { name: "Stop" }).click();
    await second.page.getByText("Stopped.", { exact: true }).waitFor();
    await third.page.getByRole("button", { name: "Ask", exact: true }).click();
    await third.page.getByText("Waiting for a free place: next in line", { exact: true }).waitFor();
    await first.page.getByRole("button", { name: "Stop" }).click();
    await middleOf(third.page, "Answers");
    await third.page.getByRole("button", { name: "Stop" }).click();
    await third.page.getByText("Stopped.", { exact: true }).waitFor();
    await Promise.all(all.map(close));
  });
});
