/** Debates over the simulated council: one followed by keys alone on a phone, one read again on a wide screen. */
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { close, finalAnswer, launch, open, patience, shapes, waitForEnd } from "./browser";
import { call } from "./figures";
import { OwnServer } from "./own-server";

let browser: Browser;
let server: OwnServer;
beforeAll(async () => {
  [browser, server] = await Promise.all([launch(), OwnServer.start()]);
});
afterAll(() => Promise.all([browser.close(), server.close()]));

const focused = (page: Page) =>
  page.evaluate(() => {
    const element = document.activeElement;
    const label = element instanceof HTMLInputElement ? element.labels?.[0]?.textContent : null;
    return (element?.getAttribute("aria-label") ?? label ?? element?.textContent ?? "").trim();
  });

async function goTo(page: Page, name: RegExp, key: "Tab" | "Shift+Tab" = "Tab") {
  for (let steps = 0; steps < 150; steps += 1) {
    if (name.test(await focused(page))) return;
    await page.keyboard.press(key);
  }
  throw new Error(`${key} does not lead to ${name}`);
}

it("is held to its end on a phone, and read by keys alone", async () => {
  const watched = await open(browser, server, shapes.phone);
  const { page } = watched;
  await page.goto("/", { waitUntil: "networkidle" });
  await page.getByLabel("Your question").focus();
  await goTo(page, /^Options/);
  await page.keyboard.press("Enter");
  await page.getByRole("dialog", { name: "Options" }).waitFor();
  await goTo(page, /^Council/);
  await page.keyboard.press("ArrowDown");
  await expect.poll(() => focused(page)).toMatch(/^Debate in rotation/);
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Format: Debate in rotation" }).waitFor();
  await page.getByLabel("Your question").focus();
  await page.keyboard.type("Should a small team write its own job queue?");
  await goTo(page, /^Ask$/);
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/c\//);
  await page.locator(".debate-steps").waitFor({ timeout: patience });
  await waitForEnd(page);
  await finalAnswer(page).getByRole("heading", { name: "Answer after the debate" }).waitFor();

  await goTo(page, /^Round 2 · Critiques/, "Shift+Tab");
  await goTo(page, /^B: to its statement in round 1/);
  await page.keyboard.press("Enter");
  const opening = page.getByRole("article", { name: "B in round 1" }).locator(".said-toggle");
  await expect.poll(() => opening.evaluate((one) => one === document.activeElement)).toBe(true);
  await page.keyboard.press("j");
  await expect.poll(() => focused(page)).toMatch(/^C/);
  expect(new URL(page.url()).pathname).toMatch(/^\/c\//);
  await close(watched);
});

it("is read again on a wide screen with who answers whom", async () => {
  const { id } = await call(server, "POST", "/api/conversations", {});
  const asked = { content: "Is glass a liquid?", mode: "arena", use_refinement: true };
  await call(server, "POST", `/api/conversations/${id}/message`, asked);
  const watched = await open(browser, server, shapes.wide);
  const { page } = watched;
  await page.goto(`/c/${id}`);
  await page.getByRole("heading", { name: "Arena" }).waitFor({ timeout: patience });
  await page.getByText(/^Refinement did not apply/).waitFor();
  for (const round of ["Openings", "Rebuttals", "Closing statements"]) {
    await page
      .getByRole("heading", { name: new RegExp(round) })
      .first()
      .waitFor();
  }
  const last = page.getByRole("article", { name: "Participant A in round 3" });
  expect(await last.locator(".said-links a").allTextContents()).toEqual(["B", "C", "D"]);
  await last.getByRole("link", { name: "Participant C: to its statement in round 2" }).click();
  const target = page.getByRole("article", { name: "Participant C in round 2" });
  await expect
    .poll(() => target.evaluate((one) => one.contains(document.activeElement)))
    .toBe(true);
  await page.getByRole("button", { name: /^The openings, ranked blind/ }).click();
  await page.getByText(/The debate does not depend on it/).waitFor();
  await page.getByRole("button", { name: /^Cost and time/ }).click();
  await page.getByRole("rowheader", { name: "Round 2 · Rebuttals" }).waitFor();
  await close(watched);
});
