/** What is added to a question while its members answer. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { violations } from "./axe";
import { ask, bothShapes, close, launch, open, patience, waitForEnd } from "./browser";
import { OwnServer } from "./own-server";
import { ScriptedModels } from "./scripted-models";

const added = "I mean the second edition.";

let browser: Browser;
let models: ScriptedModels;
let server: OwnServer;
/** Lets the answers of this question end. */
let go = () => {};
let gone = Promise.resolve();
beforeAll(async () => {
  models = await ScriptedModels.start(({ model, purpose }) => {
    if (purpose === "answer") return { text: `${model} says: Ada.`, before: () => gone };
    if (purpose === "review") return { text: "FINAL RANKING:\n1. Response A\n2. Response B" };
    return { text: purpose === "title" ? "Who wrote it" : "Ada wrote it." };
  });
  [browser, server] = await Promise.all([
    launch(),
    OwnServer.start(models.settings(["a/one", "b/two"])),
  ]);
});
afterAll(async () => {
  await Promise.all([browser.close(), server.close()]);
  await models.close();
});

describe.each(bothShapes)("on %s", (_, shape) => {
  it("it is shown with the question, over a reload, and until the reviews begin", async () => {
    gone = new Promise((resolve) => {
      go = resolve;
    });
    const watched = await open(browser, server, shape);
    const { page } = watched;
    await ask(page, "Who wrote it?");
    const opener = page.getByRole("button", { name: "Correct the question" });
    await opener.waitFor({ timeout: patience });
    await opener.focus();
    await page.keyboard.press("Enter");
    const box = page.getByLabel("Correction", { exact: true });
    await box.fill(added);
    expect(await violations(page)).toEqual([]);
    await box.press("Control+Enter");
    const shown = page.getByRole("list", { name: "Corrections of the question" });
    await shown.getByText(added).waitFor({ timeout: patience });
    await expect.poll(() => box.count()).toBe(0);
    await page.reload();
    await shown.getByText(added).waitFor({ timeout: patience });
    go();
    await waitForEnd(page);
    await expect.poll(() => opener.count()).toBe(0);
    expect(await violations(page)).toEqual([]);
    await page.reload();
    await shown.getByText(added).waitFor({ timeout: patience });
    await close(watched);
  });
});
