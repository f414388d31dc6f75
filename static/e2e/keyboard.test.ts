/** What a person does who has only keys: ask, stop, read why, change the council, find again, export. */
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { close, launch, open, patience, waitForEnd, wide } from "./browser";
import { OwnServer, pace } from "./own-server";

let browser: Browser;
let server: OwnServer;
beforeAll(async () => {
  [browser, server] = await Promise.all([launch(), OwnServer.start(pace.steady)]);
});
afterAll(() => Promise.all([browser.close(), server.close()]));

/** The name of what has the focus. */
const focused = (page: Page) =>
  page.evaluate(() => {
    const element = document.activeElement;
    const label = element instanceof HTMLInputElement ? element.labels?.[0]?.textContent : null;
    return (element?.getAttribute("aria-label") ?? label ?? element?.textContent ?? "").trim();
  });

async function goTo(page: Page, name: RegExp, key: "Tab" | "Shift+Tab" = "Tab") {
  for (let steps = 0; steps < 150; steps += 1) {
    await page.keyboard.press(key);
    if (name.test(await focused(page))) return;
  }
  throw new Error(`${key} does not lead to ${name}`);
}

async function askByKeys(page: Page, question: string) {
  await page.goto("/", { waitUntil: "networkidle" });
  expect(await focused(page)).toBe("Your question");
  await page.keyboard.type(question);
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/c\//);
}

it("leads through a day with the council", async () => {
  const watched = await open(browser, server, { viewport: wide });
  const { page } = watched;
  await askByKeys(page, "Is a tomato a fruit?");
  await page.locator(".answer-writing").first().waitFor({ timeout: patience });
  await goTo(page, /^Stop/);
  await page.keyboard.press("Enter");
  await page.getByText("Stopped.", { exact: true }).waitFor({ timeout: patience });
  await expect.poll(() => focused(page)).toBe("Your question");

  await askByKeys(page, "Should we meet on Mondays?");
  await waitForEnd(page);
  await goTo(page, /^(?!Reviews).*(ranked best|narrowly ahead|no clear winner)$/, "Shift+Tab");
  await page.keyboard.press("Enter");
  await expect.poll(() => focused(page)).toMatch(/^Reviews/);
  await goTo(page, /^Full review/);
  await page.keyboard.press("Enter");
  await page.locator(".details-body").first().waitFor();

  await page.goto("/", { waitUntil: "networkidle" });
  await goTo(page, /^Change the council/, "Shift+Tab");
  await page.keyboard.press("Enter");
  await page.getByRole("dialog", { name: "Who answers" }).waitFor();
  await goTo(page, /^Your settings stay as they are/);
  await page.keyboard.press("Enter");
  await page.locator(".member").first().waitFor();
  const names = () => page.locator(".member-name").allTextContents();
  const [first = "", second = "", ...others] = await names();
  await goTo(page, /^Reorder /);
  await page.keyboard.press("Space");
  await page.getByText(`${first} is picked up, from place 1`).waitFor();
  await page.keyboard.press("ArrowDown");
  await page.getByText(`${first} is over place 2`).waitFor();
  await page.keyboard.press("Space");
  await expect.poll(names).toEqual([second, first, ...others]);
  await page.keyboard.press("Control+s");
  await page.getByText("The council was saved.").waitFor();

  await page.goto("/", { waitUntil: "networkidle" });
  await goTo(page, /^Search conversations/, "Shift+Tab");
  await page.keyboard.type("Mondays");
  await page.locator(".hits .entry").first().waitFor();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/c\//);
  await page.getByRole("button", { name: "Copy answer" }).waitFor();
  await goTo(page, /^Export/);
  await page.keyboard.press("Enter");
  await page.getByRole("menu").waitFor();
  const [file] = await Promise.all([page.waitForEvent("download"), page.keyboard.press("Enter")]);
  expect(file.suggestedFilename()).toMatch(/\.md$/);
  await close(watched);
});
