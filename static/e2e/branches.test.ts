/** Asking a question in another way, and going between the ways it was asked in. */
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { violations } from "./axe";
import {
  ask,
  bothShapes,
  close,
  forgiveCuts,
  launch,
  open,
  patience,
  shapes,
  waitForEnd,
  withConversation,
} from "./browser";
import { OwnServer, pace } from "./own-server";

let browser: Browser;
let server: OwnServer;
let endless: OwnServer;
beforeAll(async () => {
  [browser, server, endless] = await Promise.all([
    launch(),
    OwnServer.start(),
    OwnServer.start(pace.endless),
  ]);
});
afterAll(() => Promise.all([browser.close(), server.close(), endless.close()]));

const questions = (page: Page) => page.locator("p.question");
const editor = (page: Page) => page.getByRole("form", { name: "Ask in another way" });
const words = (page: Page) => page.getByLabel("The question in other words");
const edit = (page: Page, turn: number) =>
  page.locator(".turn").nth(turn).getByRole("button", { name: "Edit the question" });
const versions = (page: Page) =>
  page.getByRole("navigation", { name: "Versions of this question" });
const previous = (page: Page) =>
  page.getByRole("button", { name: "Previous version of the question" });
const next = (page: Page) => page.getByRole("button", { name: "Next version of the question" });
const shown = (page: Page) => questions(page).allTextContents();

/** Waits until there are this many answers and nothing is under way. */
async function answers(page: Page, count: number) {
  const copies = page.getByRole("button", { name: "Copy answer" });
  await expect.poll(() => copies.count(), { timeout: patience }).toBe(count);
  await page.getByRole("button", { name: "Ask", exact: true }).waitFor({ timeout: patience });
}

describe.each(bothShapes)("on %s", (_, shape) => {
  it("a question is asked in another way, in its place, and the one before stays beside it", async () => {
    const watched = await open(browser, server, shape);
    const { page } = watched;
    await ask(page, "What is a tide?");
    await waitForEnd(page);
    await page.getByLabel("Your question").fill("And a current?");
    await page.getByLabel("Your question").press("Control+Enter");
    await answers(page, 2);

    // Refused: open again where it was typed, and the page does not scroll away from it.
    await page.evaluate(() => {
      const { scrollIntoView } = Element.prototype;
      Element.prototype.scrollIntoView = function (options) {
        if (document.querySelector(".question-editor")) document.body.dataset.left = "";
        scrollIntoView.call(this, options);
      };
    });
    const full = { type: "urn:llm-council:problem:full", status: 503, detail: "Full." };
    await page.route("**/message/stream", (route) => route.fulfill({ status: 503, json: full }));
    await edit(page, 0).click();
    await words(page).fill("What is a wave?");
    await page.keyboard.press("Control+Enter");
    await editor(page).getByText("Not sent.").waitFor();
    await expect
      .poll(() => words(page).evaluate((box) => box === document.activeElement))
      .toBe(true);
    expect(await words(page).inputValue()).toBe("What is a wave?");
    expect(await page.evaluate(() => "left" in document.body.dataset)).toBe(false);
    await page.unroute("**/message/stream");
    forgiveCuts(watched);
    await words(page).fill("What is a tide?");
    await editor(page).getByRole("button", { name: "Cancel" }).click();

    // By keys alone: opened, left, opened again and asked.
    await edit(page, 1).focus();
    await page.keyboard.press("Enter");
    await words(page).waitFor();
    expect(await words(page).inputValue()).toBe("And a current?");
    expect(await words(page).evaluate((box) => box === document.activeElement)).toBe(true);
    expect(await violations(page)).toEqual([]);
    await page.keyboard.type(" Or what?");
    await page.keyboard.press("Escape");
    await edit(page, 1).waitFor();
    await expect
      .poll(() => edit(page, 1).evaluate((it) => it === document.activeElement))
      .toBe(true);
    await page.getByRole("button", { name: "Undo" }).click();
    expect(await words(page).inputValue()).toBe("And a current? Or what?");
    await editor(page).getByRole("button", { name: "Cancel" }).click();
    await edit(page, 1).click();
    expect(await words(page).inputValue()).toBe("And a current?");
    await words(page).fill("And a wave?");
    await page.keyboard.press("Control+Enter");
    await versions(page).getByText("Question 2 of 2").waitFor({ timeout: patience });
    await answers(page, 2);
    expect(await shown(page)).toEqual(["What is a tide?", "And a wave?"]);
    expect(await violations(page)).toEqual([]);

    await previous(page).click();
    await versions(page).getByText("Question 1 of 2").waitFor();
    expect(await shown(page)).toEqual(["What is a tide?", "And a current?"]);
    await page.reload();
    await versions(page).getByText("Question 1 of 2").waitFor();
    expect(await shown(page)).toEqual(["What is a tide?", "And a current?"]);
    await next(page).focus();
    await page.keyboard.press("Enter");
    await versions(page).getByText("Question 2 of 2").waitFor();
    expect(await next(page).evaluate((it) => it === document.activeElement)).toBe(true);

    // The same question once more, at the beginning of the conversation.
    await edit(page, 0).click();
    await editor(page).getByRole("button", { name: "Ask", exact: true }).click();
    await versions(page).getByText("Question 2 of 2").waitFor({ timeout: patience });
    await answers(page, 1);
    expect(await shown(page)).toEqual(["What is a tide?"]);
    await withConversation(page, "Export");
    const all = page.getByRole("menuitem", { name: "Markdown, all branches" });
    const path = (await all.getAttribute("href")) ?? "";
    const text = await (await page.request.get(path)).text();
    expect(text).toContain("## Branch 3 of 3");
    expect(text).toContain("And a wave?");
    await close(watched);
  });
});

it("a run on another branch goes on, is said to, and is found again", async () => {
  const watched = await open(browser, endless, shapes.wide);
  const { page } = watched;
  const stop = page.getByRole("button", { name: "Stop", exact: true });
  const note = page.getByText("Another branch of this conversation is being answered.");
  await ask(page, "Who was first?");
  await stop.click();
  await page.getByText("Stopped.", { exact: true }).waitFor();
  await edit(page, 0).click();
  await words(page).fill("Who was second?");
  await words(page).press("Enter");
  await versions(page).getByText("Question 2 of 2").waitFor({ timeout: patience });
  expect(await edit(page, 0).count()).toBe(0);
  await previous(page).click();
  await note.waitFor();
  expect(await shown(page)).toEqual(["Who was first?"]);
  await page.reload();
  await note.waitFor();
  expect(await shown(page)).toEqual(["Who was first?"]);
  expect(await violations(page)).toEqual([]);
  await page.getByRole("button", { name: "Show it" }).click();
  await versions(page).getByText("Question 2 of 2").waitFor();
  expect(await shown(page)).toEqual(["Who was second?"]);
  expect(await note.count()).toBe(0);
  await stop.click();
  await page.getByText("Stopped.", { exact: true }).waitFor();
  // A search leads to the branch on which it found something, and holds nobody there.
  await page.getByLabel("Search conversations").fill("first");
  await page.locator(".hits .entry a").first().click();
  await versions(page).getByText("Question 1 of 2").waitFor();
  await next(page).click();
  await versions(page).getByText("Question 2 of 2").waitFor();
  expect(await shown(page)).toEqual(["Who was second?"]);
  await close(watched);
});
