/** Pictures with a question: chosen and pasted, made smaller, asked about, looked at, and said where a member did not see them. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fitsAndBreaksNoRule, violations } from "./axe";
import { bothShapes, close, finalAnswer, launch, open, waitForEnd } from "./browser";
import { OwnServer, pace } from "./own-server";
import { png } from "./picture";

let browser: Browser;
let server: OwnServer;

beforeAll(async () => {
  [browser, server] = await Promise.all([
    launch(),
    OwnServer.start({
      ...pace.quick,
      LLM_COUNCIL__COUNCIL__MODELS: "simulated/ada, simulated/blind, simulated/cleo",
    }),
  ]);
});
afterAll(() => Promise.all([browser.close(), server.close()]));

describe.each(bothShapes)("on %s", (_, shape) => {
  it("shows a picture to those who see, and says who did not", async () => {
    const watched = await open(browser, server, shape);
    const { page } = watched;
    await page.goto("/");
    // What the first file needs may still be on its way when the second one is there.
    let goOn = () => {};
    const pasted = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    await page.route("**/shrink-*.js", async (route) => {
      await pasted;
      await route.continue();
    });
    await page.getByLabel("Your question").fill("Where was this taken?");
    await page
      .getByLabel("Add files")
      .setInputFiles({ name: "hills.png", mimeType: "image/png", buffer: png(2000, 1000) });
    const list = page.getByRole("list", { name: "Files of this question" });

    // One is pasted: a photo, as a camera's.
    await page.evaluate(async () => {
      const canvas = document.createElement("canvas");
      canvas.width = 300;
      canvas.height = 400;
      canvas.getContext("2d")?.fillRect(0, 0, 300, 200);
      const blob = await new Promise<Blob | null>((done) => canvas.toBlob(done, "image/jpeg"));
      const transfer = new DataTransfer();
      if (blob) transfer.items.add(new File([blob], "pasted.jpg", { type: blob.type }));
      const event = new ClipboardEvent("paste", { clipboardData: transfer, bubbles: true });
      document.querySelector("textarea")?.dispatchEvent(event);
    });
    goOn();
    await expect.poll(() => list.locator("img.file-thumbnail").count()).toBe(2);
    const ask = page.getByRole("button", { name: "Ask", exact: true });
    await expect.poll(() => ask.isEnabled()).toBe(true);
    await fitsAndBreaksNoRule(page);
    const texts = await list.getByRole("listitem").allInnerTexts();
    expect(texts.map((text) => text.split("\n")[0])).toEqual(["hills.png", "pasted.jpg"]);

    // What the server has is there again.
    await page.reload();
    await expect.poll(() => list.locator("img.file-thumbnail").count()).toBe(2);
    await expect.poll(() => ask.isEnabled()).toBe(true);
    await ask.press("Enter");

    const hills = page.getByRole("img", { name: "Picture: hills.png" });
    await hills.waitFor();
    const width = () => hills.evaluate((image: HTMLImageElement) => image.naturalWidth);
    await expect.poll(width).toBe(1568);
    await finalAnswer(page).waitFor();
    await waitForEnd(page);
    await page.getByPlaceholder("Ask a follow-up").waitFor();
    const words = "Did not see hills.png, pasted.jpg";
    const unseen = page.getByRole("article", { name: /^Answer of / }).getByText(words);
    const card = page.getByRole("article", { name: "Answer of simulated/blind" });
    // A phone shows one card at a time, and the one of the member that sees is first.
    const tab = page.getByRole("tab", { name: /blind/ });
    await tab.or(card).first().waitFor();
    if (await tab.isVisible()) {
      expect(await unseen.count()).toBe(0);
      await tab.click();
    }
    await card.getByText(words).waitFor();
    expect(await unseen.count()).toBe(1);
    // It is a reviewer, too, and its review is folded with the others.
    const reviews = page.getByRole("article", { name: /^Review by / }).getByText(words);
    expect(await reviews.count()).toBe(1);
    await fitsAndBreaksNoRule(page);

    await page.getByRole("button", { name: "Picture: hills.png" }).press("Enter");
    const view = page.getByRole("dialog", { name: "hills.png" });
    await view.getByText("1568 × 784").waitFor();
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await view.waitFor({ state: "detached" });
    const focused = () => page.evaluate(() => document.activeElement?.getAttribute("title"));
    expect(await focused()).toBe("hills.png");

    // A follow-up is about the same pictures.
    await expect.poll(() => page.locator(".composer-dock img.file-thumbnail").count()).toBe(2);

    // Asked in another way, it comes with the same pictures.
    await page.getByRole("button", { name: "Edit the question" }).press("Enter");
    await expect.poll(() => page.locator(".question-editor img.file-thumbnail").count()).toBe(2);
    await close(watched);
  });
});
