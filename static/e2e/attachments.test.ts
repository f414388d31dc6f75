/** Files that go with a question: chosen, dropped, refused, taken out, asked about, and there with the question. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { violations } from "./axe";
import { bothShapes, close, launch, open, wide } from "./browser";
import { OwnServer, pace } from "./own-server";

let browser: Browser;
let server: OwnServer;

beforeAll(async () => {
  [browser, server] = await Promise.all([
    launch(),
    OwnServer.start({ ...pace.quick, LLM_COUNCIL__ATTACHMENTS__MAX_BYTES: "100000" }),
  ]);
});
afterAll(() => Promise.all([browser.close(), server.close()]));

const text = (name: string, content: string) => ({
  name,
  mimeType: "text/plain",
  buffer: Buffer.from(content),
});

describe.each(bothShapes)("on %s", (_, shape) => {
  it("takes files, says what is wrong with one, and asks with the others", async () => {
    const watched = await open(browser, server, shape);
    const { page } = watched;
    await page.goto("/");
    await page.getByLabel("Your question").fill("What do these say?");
    const ask = page.getByRole("button", { name: "Ask", exact: true });
    const control = page.getByLabel("Add files");
    expect(await control.getAttribute("aria-describedby")).not.toBeNull();
    await control.setInputFiles([
      text("notes.md", "# The quokka is small"),
      text(
        "A long name that does not fit into one line of any phone that there is.csv",
        "a,b\n1,2",
      ),
      text("too-large.txt", "x".repeat(100_001)),
    ]);
    const list = page.getByRole("list", { name: "Files of this question" });
    await list.getByText("It is larger than 98 KiB.").waitFor();
    await page.getByText("Remove the files that cannot be used before you ask.").first().waitFor();
    expect(await ask.isDisabled()).toBe(true);
    await list.getByText("21 bytes").waitFor();
    const { width } = page.viewportSize() ?? wide;
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(
      width,
    );
    expect(await violations(page)).toEqual([]);

    // The focus stays in the list while there is something in it.
    await page.getByRole("button", { name: "Remove too-large.txt" }).press("Enter");
    const focused = () => page.evaluate(() => document.activeElement?.getAttribute("aria-label"));
    expect(await focused()).toMatch(/^Remove A long name/);
    await ask.waitFor();
    await expect.poll(() => ask.isEnabled()).toBe(true);

    // One is dropped, and is the same as another: it stands there once.
    const dropped = await page.evaluateHandle(() => {
      const transfer = new DataTransfer();
      transfer.items.add(
        new File(["# The quokka is small"], "again.md", { type: "text/markdown" }),
      );
      return transfer;
    });
    await page.locator(".composer-box").dispatchEvent("drop", { dataTransfer: dropped });
    await expect.poll(() => list.getByRole("listitem").count()).toBe(2);

    await page.reload();
    await list.getByText("notes.md").waitFor();
    await ask.press("Enter");
    const link = page.locator("a.file").first();
    await link.waitFor();
    expect(await link.getAttribute("href")).toMatch(/^\/api\/attachments\/[0-9a-f]{64}\/content$/);
    await page.getByPlaceholder("Ask a follow-up").waitFor();

    // A follow-up is about the same files, unless they are taken out.
    const next = page.locator(".composer-dock .file");
    await expect.poll(() => next.count()).toBe(2);
    await next.getByText("From the question before").first().waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole("button", { name: /^Remove A long name/ }).press("Enter");
    await expect.poll(() => next.count()).toBe(1);
    await page.reload();
    await next.getByText("notes.md").waitFor();
    expect(await next.count()).toBe(1);
    await page.getByLabel("Your question").fill("And what does this one say?");
    await ask.press("Enter");
    await expect.poll(() => page.locator(".turn").nth(1).locator("a.file").count()).toBe(1);
    await expect.poll(() => next.count()).toBe(1);
    // The question after one that came without them has none.
    await page.getByRole("button", { name: "Remove notes.md" }).press("Enter");
    await page.getByLabel("Your question").fill("And without any?");
    await ask.press("Enter");
    await page.getByText("And without any?").first().waitFor();
    await expect.poll(() => page.locator(".turn").count()).toBe(3);
    expect(await page.locator(".turn").nth(2).locator(".file").count()).toBe(0);
    expect(await next.count()).toBe(0);

    await page.getByRole("button", { name: "Edit the question" }).first().waitFor();
    await page.getByRole("button", { name: "Edit the question" }).first().press("Enter");
    await expect.poll(() => page.locator(".question-editor .file").count()).toBe(2);
    expect(await violations(page)).toEqual([]);
    await close(watched);
  });
});
