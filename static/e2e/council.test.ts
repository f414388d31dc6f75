import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import {
  ask,
  close,
  finalAnswer,
  launch,
  members,
  open,
  patience,
  type Watched,
  waitForEnd,
} from "./browser";
import { OwnServer, pace } from "./own-server";

let browser: Browser;
let server: OwnServer;
let watched: Watched;
beforeAll(async () => {
  [browser, server] = await Promise.all([launch(), OwnServer.start(pace.steady)]);
});
afterAll(() => Promise.all([browser.close(), server.close()]));
beforeEach(async () => {
  watched = await open(browser, server);
});
afterEach(() => close(watched));

const question = "Is it better to repair or to replace an old bicycle?";

it("shows all three stages as they happen, and all of it again after a reload", async () => {
  const { page } = watched;
  await ask(page, question);
  const names = await members(page);
  const cards = page.getByRole("article", { name: /^Answer of / });
  for (const name of names) {
    const text = cards
      .and(page.getByLabel(`Answer of ${name}`, { exact: true }))
      .locator(".markdown");
    await text.waitFor({ timeout: patience });
  }
  const growing = cards.first().locator(".markdown");
  const early = (await growing.textContent()) ?? "";
  await expect
    .poll(async () => ((await growing.textContent()) ?? "").length)
    .toBeGreaterThan(early.length);
  await page
    .getByRole("listitem")
    .filter({ hasText: "Reviews" })
    .and(page.locator("[aria-current=step]"))
    .waitFor({ timeout: patience });
  await page
    .getByRole("listitem")
    .filter({ hasText: "Final answer" })
    .and(page.locator("[aria-current=step]"))
    .waitFor({ timeout: patience });
  await waitForEnd(page);

  await page.reload();
  await finalAnswer(page).waitFor();
  expect(await cards.count()).toBe(names.length);
  const aggregate = page.getByRole("group", { name: "Aggregate ranking" });
  expect(await aggregate.locator("tbody tr").count()).toBe(names.length);

  const review = page.getByRole("article", { name: /^Review by / }).first();
  await review.getByText("Full review").click();
  const body = review.locator(".details-body");
  await body.waitFor();
  const short = names.map((name) => name.slice(name.lastIndexOf("/") + 1));
  const ranked = await review.getByRole("listitem").allTextContents();
  for (const name of short) expect(ranked.some((entry) => entry.includes(name))).toBe(true);
  expect(await body.textContent()).not.toMatch(/Response [A-Z]\b/);
});

it("picks a running deliberation up after a reload", async () => {
  const { page } = watched;
  await ask(page, "Why do cats purr?");
  await page.locator(".answer-writing").first().waitFor({ timeout: patience });
  await page.reload();
  await page.getByRole("button", { name: "Stop" }).waitFor();
  const names = await members(page);
  await expect
    .poll(() => page.getByRole("article", { name: /^Answer of / }).count(), { timeout: patience })
    .toBe(names.length);
  await waitForEnd(page);
});

it("goes on while another conversation is read", async () => {
  const { page } = watched;
  await ask(page, "Why do leaves fall?");
  const running = page.url();
  await page.locator(".answer-writing").first().waitFor({ timeout: patience });
  await page.getByRole("link", { name: "New conversation" }).first().click();
  await page.getByRole("heading", { name: "Ask the council" }).waitFor();
  await page.goBack();
  expect(page.url()).toBe(running);
  await waitForEnd(page);
});

it("stops when asked to, and keeps what had arrived", async () => {
  const { page } = watched;
  await ask(page, "How deep is the sea?");
  await expect
    .poll(() => page.locator(".answer .markdown").first().textContent(), { timeout: patience })
    .toMatch(/\w{3}/);
  await page.getByRole("button", { name: "Stop" }).click();
  await page.getByText("Stopped.", { exact: true }).waitFor({ timeout: patience });
  const kept = page.locator(".answer .markdown").first();
  expect(await kept.textContent()).toMatch(/\w{3}/);
  await page.reload();
  await page.getByText("Stopped.", { exact: true }).waitFor();
  expect(await kept.textContent()).toMatch(/\w{3}/);

  await page.getByRole("button", { name: "Go on where it stopped" }).click();
  await waitForEnd(page);
  expect(await page.getByText("Stopped.", { exact: true }).count()).toBe(0);
});

it("says so when the session has ended, and keeps the question", async () => {
  const { page, faults } = watched;
  await page.goto("/");
  await page.locator(".seats").waitFor();
  await page.route("**/api/**", (route) => route.fulfill({ status: 401, json: {} }));
  await page.getByLabel("Your question").fill("Am I still here?");
  await page.getByLabel("Your question").press("Enter");
  await page.getByRole("link", { name: "Reload the page to sign in again" }).waitFor();
  expect(await page.getByLabel("Your question").inputValue()).toBe("Am I still here?");
  // Nothing more is reported from now on.
  await page.close();
  expect(faults.splice(0).every((fault) => fault.includes("401"))).toBe(true);
});

it("keeps what is typed and not sent", async () => {
  const { page } = watched;
  await page.goto("/");
  await page.getByLabel("Your question").fill("half a thought");
  await page.reload();
  await expect.poll(() => page.getByLabel("Your question").inputValue()).toBe("half a thought");
});

it("leads from the answer to the reviews it rests on, by keyboard, also when they are closed", async () => {
  const { page } = watched;
  await ask(page, question);
  await waitForEnd(page);
  const reviews = page.getByRole("button", { name: /^Reviews/ });
  await reviews.press("Enter");
  expect(await reviews.getAttribute("aria-expanded")).toBe("false");
  const why = finalAnswer(page).getByRole("button", {
    name: /ranked best|narrowly ahead|no clear winner/,
  });
  await why.press("Enter");
  await page.getByRole("group", { name: "Aggregate ranking" }).waitFor();
  const isAtReviews = () => reviews.evaluate((button) => document.activeElement === button);
  await expect.poll(isAtReviews).toBe(true);
  await expect.poll(async () => (await reviews.boundingBox())?.y).toBeLessThan(200);
});

it("sets a question from the right where its words are", async () => {
  const { page } = watched;
  const directionOf = (selector: string) =>
    page
      .locator(selector)
      .first()
      .evaluate((element) => getComputedStyle(element).direction);
  await page.goto("/");
  const box = page.getByLabel("Your question");
  await box.fill("ما هي عاصمة فرنسا؟");
  expect(await directionOf(".composer textarea")).toBe("rtl");
  await box.press("Enter");
  await page.waitForURL(/\/c\//);
  await page.locator(".question").waitFor();
  expect(await directionOf(".question")).toBe("rtl");
  expect(await directionOf(".conversation")).toBe("ltr");
  await page.getByRole("button", { name: "Stop" }).click();
  await page.getByText("Stopped.", { exact: true }).waitFor({ timeout: patience });
});
