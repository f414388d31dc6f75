/** What is typed while the council works, and how it is told that it has ended. */
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { violations } from "./axe";
import {
  ask,
  bothShapes,
  close,
  launch,
  open,
  patience,
  shapes,
  waitForEnd,
  wide,
} from "./browser";
import { OwnServer, pace } from "./own-server";

let browser: Browser;
let server: OwnServer;
let endless: OwnServer;
beforeAll(async () => {
  [browser, server, endless] = await Promise.all([
    launch(),
    OwnServer.start(pace.steady),
    OwnServer.start(pace.endless),
  ]);
});
afterAll(() => Promise.all([browser.close(), server.close(), endless.close()]));

const box = (page: Page) => page.getByLabel("Your question");
const waiting = (page: Page) => page.getByRole("region", { name: "Next question" });
const questions = (page: Page) => page.locator("p.question");

/** As if another tab were in front. */
const setHidden = (page: Page, hidden: boolean) =>
  page.evaluate((hide) => {
    Object.defineProperty(document, "visibilityState", {
      configurable: true,
      get: () => (hide ? "hidden" : "visible"),
    });
    document.dispatchEvent(new Event("visibilitychange"));
  }, hidden);

describe.each(bothShapes)("on %s", (_, shape) => {
  it("a question asked during a run waits in sight, over a reload, and is asked after the answer", async () => {
    const watched = await open(browser, server, shape);
    const { page } = watched;
    await ask(page, "What is a tide?");
    await page.getByRole("button", { name: "Stop" }).waitFor();
    await box(page).fill("And what is a current?");
    if ("isMobile" in shape) await page.getByRole("button", { name: "Ask next" }).tap();
    else await box(page).press("Enter");
    await waiting(page).getByText("And what is a current?").waitFor();
    await waiting(page).getByText("To the council").waitFor();
    await waiting(page).getByText("Asked as soon as this answer is ready").waitFor();
    expect(await box(page).inputValue()).toBe("");
    expect(await violations(page)).toEqual([]);
    await page.reload();
    await waiting(page).getByText("And what is a current?").waitFor();
    await questions(page).nth(1).waitFor({ timeout: patience });
    expect(await questions(page).nth(1).textContent()).toBe("And what is a current?");
    await expect.poll(() => waiting(page).count()).toBe(0);
    await page.getByRole("button", { name: "Copy answer" }).nth(1).waitFor({ timeout: patience });
    await page.reload();
    await page.getByRole("button", { name: "Copy answer" }).nth(1).waitFor();
    expect(await questions(page).count()).toBe(2);
    await close(watched);
  });

  it("it is edited, removed, brought back, and not asked after a stopped answer", async () => {
    const watched = await open(browser, endless, shape);
    const { page } = watched;
    await ask(page, "Who was first?");
    await box(page).fill("Is it me?");
    await page.getByRole("button", { name: "Ask next" }).click();
    await waiting(page).getByRole("button", { name: "Edit" }).click();
    expect(await box(page).inputValue()).toBe("Is it me?");
    await expect.poll(() => waiting(page).count()).toBe(0);
    await page.getByRole("button", { name: "Ask next" }).click();
    await waiting(page).getByRole("button", { name: "Remove the next question" }).click();
    await expect.poll(() => waiting(page).count()).toBe(0);
    await page.getByRole("button", { name: "Undo" }).click();
    await waiting(page).waitFor();
    await page.getByRole("button", { name: "Stop", exact: true }).click();
    await waiting(page)
      .getByText(/^Not asked/)
      .waitFor({ timeout: patience });
    expect(await violations(page)).toEqual([]);
    expect(await questions(page).count()).toBe(1);
    await waiting(page).getByRole("button", { name: "Ask now" }).click();
    await questions(page).nth(1).waitFor();
    await page.getByRole("button", { name: "Stop", exact: true }).click();
    await page.getByText("Stopped.", { exact: true }).nth(1).waitFor();
    await close(watched);
  });
});

it("another tab names a run's conversation by its question", async () => {
  const watched = await open(browser, endless, shapes.wide);
  const { page } = watched;
  await ask(page, "Why is the title not there yet?");
  await page.getByRole("button", { name: "Stop", exact: true }).waitFor();
  const other = await page.context().newPage();
  await other.goto(page.url());
  await expect.poll(() => other.title()).toMatch(/^Why is the title/);
  await page.getByRole("button", { name: "Stop", exact: true }).click();
  await page.getByText("Stopped.", { exact: true }).waitFor();
  await close(watched);
});

it("a hidden tab tells by its title, its icon and a notification that the answer is there", async () => {
  const watched = await open(browser, server, { viewport: wide, permissions: ["notifications"] });
  const { page } = watched;
  await page.addInitScript(() => {
    const shown: string[] = [];
    class Told {
      static permission = "granted";
      static requestPermission = () => Promise.resolve("granted");
      constructor(title: string) {
        shown.push(title);
      }
      close() {}
    }
    Object.assign(window, { Notification: Told, shown });
  });
  await page.goto("/settings");
  await page.getByLabel(/^In this browser/).check();
  await ask(page, "Is anybody looking?");
  await page.getByRole("button", { name: "Stop" }).waitFor();
  const icon = () => page.locator("link[rel=icon]").getAttribute("href");
  await setHidden(page, true);
  await expect.poll(() => page.title(), { timeout: patience }).toMatch(/^✓ /);
  expect(await icon()).toBe("/favicon-ended.svg");
  expect(await page.evaluate(() => Reflect.get(window, "shown"))).toEqual([
    "The council has answered",
  ]);
  await setHidden(page, false);
  expect(await page.title()).not.toMatch(/^✓/);
  expect(await icon()).toBe("/favicon.svg");
  await waitForEnd(page);
  await close(watched);
});
