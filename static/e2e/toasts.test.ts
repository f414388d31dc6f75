/** Short messages: where they stand, so that nothing lies under them that somebody reads, types into or presses. */
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ask, close, launch, open, shapes, waitForEnd } from "./browser";
import { OwnServer, pace } from "./own-server";

let browser: Browser;
let server: OwnServer;
beforeAll(async () => {
  [browser, server] = await Promise.all([launch(), OwnServer.start(pace.quick)]);
});
afterAll(() => Promise.all([browser.close(), server.close()]));

/** What a message lies over of that which it must not; null where there is no message. */
const covered = (page: Page) =>
  page.evaluate(() => {
    const message = document.querySelector(".toast")?.getBoundingClientRect();
    if (!message) return null;
    const focused = document.activeElement;
    const isControl = focused?.matches("a, button, input, select, textarea, summary");
    return [
      ...document.querySelectorAll("h1, .composer-box, .composer-dock, .save-bar"),
      ...(isControl && focused && !focused.closest(".toasts") ? [focused] : []),
    ]
      .filter((one) => {
        const { top, bottom, left, right, width } = one.getBoundingClientRect();
        const isBeside = left >= message.right || right <= message.left;
        return width > 1 && !isBeside && top < message.bottom && bottom > message.top;
      })
      .map((one) => `${one.tagName} ${one.className} ${one.textContent?.slice(0, 40)}`);
  });

/** Whether all of it can be seen. */
const isSeen = (page: Page) =>
  page.locator(".toast").evaluate((message) => {
    const { top, bottom, left, right } = message.getBoundingClientRect();
    return top >= 0 && bottom <= innerHeight && left >= 0 && right <= innerWidth;
  });

describe.each([
  ["a phone", shapes.phone],
  ["a desktop", { viewport: { width: 1280, height: 800 } }],
])("on %s", (_, shape) => {
  it("covers neither heading nor composer nor what has the focus, and its way back is pressed by keyboard", async () => {
    const watched = await open(browser, server, shape);
    const { page } = watched;
    await ask(page, "What is a tide?");
    await waitForEnd(page);
    const edit = page.getByRole("button", { name: "Edit the question" });
    const words = page.getByLabel("The question in other words");
    await edit.press("Enter");
    await words.fill("What is an ebb?");
    await words.press("Escape");
    await page.getByRole("status").getByRole("button", { name: "Undo" }).waitFor();
    await expect.poll(() => covered(page)).toEqual([]);
    expect(await isSeen(page)).toBe(true);
    // The box grows, and the message gives way.
    await page.getByLabel("Your question").fill("One\nTwo\nThree\nFour\nFive");
    await expect.poll(() => covered(page)).toEqual([]);
    await page.getByRole("button", { name: "Undo" }).press("Enter");
    await expect.poll(() => words.inputValue()).toBe("What is an ebb?");

    await page.goto("/settings");
    await page
      .getByLabel("Save the current council as")
      .fill(`Careful ${page.viewportSize()?.width}`);
    await page.getByRole("button", { name: "Save preset" }).press("Enter");
    await page.getByText(/was saved\.$/).waitFor();
    await expect.poll(() => covered(page)).toEqual([]);
    expect(await isSeen(page)).toBe(true);
    // Wherever the keys lead meanwhile.
    for (const name of ["Save preset", "Create token", "Discard changes"]) {
      await page.getByRole("button", { name }).focus();
      // A machine under load may take so long that the message has gone.
      await expect.poll(async () => (await covered(page)) ?? []).toEqual([]);
    }
    await close(watched);
  });
});
