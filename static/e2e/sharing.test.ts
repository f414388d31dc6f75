/** Sharing against the real server: a link is made, read and gone on with by somebody else, and withdrawn. */
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { fitsAndBreaksNoRule, violations } from "./axe";
import {
  ask,
  bothShapes,
  close,
  finalAnswer,
  launch,
  open,
  patience,
  type Watched,
  waitForEnd,
  withConversation,
} from "./browser";
import { OwnServer, pace } from "./own-server";

let browser: Browser;
let server: OwnServer;
beforeAll(async () => {
  [browser, server] = await Promise.all([
    launch(),
    // The test is the proxy: it says in headers who somebody is.
    OwnServer.start({
      ...pace.quick,
      LLM_COUNCIL__AUTH__MODE: "proxy",
      LLM_COUNCIL__AUTH__TRUSTED_PROXIES: "127.0.0.1/32",
    }),
  ]);
});
afterAll(() => Promise.all([browser.close(), server.close()]));

/** The browser reports every refused request; that of a link that works no longer was meant. */
function forgiveGone({ faults }: Watched) {
  const kept = faults.filter((fault) => !/status of 404 .*\/api\/shares\//.test(fault));
  faults.splice(0, faults.length, ...kept);
}

const focused = (page: Page) => page.evaluate(() => document.activeElement?.textContent ?? "");
const dialogOf = (page: Page) => page.getByRole("dialog", { name: "Share this conversation" });
const newLink = (page: Page) => dialogOf(page).getByLabel("The new link");

async function openDialog(page: Page) {
  await withConversation(page, "Share…");
  await dialogOf(page).getByText("can read this branch as it is now").waitFor();
}

/** Answers the question before a link ends. */
const sure = (page: Page) =>
  page
    .getByRole("dialog", { name: "Stop sharing?" })
    .getByRole("button", { name: "Stop sharing" })
    .press("Enter");

/** Makes a link in the open dialog, and answers with its address. */
async function makeLink(page: Page): Promise<string> {
  await dialogOf(page).getByRole("button", { name: "Create link" }).press("Enter");
  await newLink(page).waitFor();
  return newLink(page).inputValue();
}

/** Every attempt has people of its own, who share nothing yet. */
let people = 0;

describe.each(bothShapes)("on %s", (_, shape) => {
  let ann: Watched;
  let ben: Watched;
  let conversation: string;
  beforeEach(async () => {
    people += 1;
    const as = (user: string, name: string) =>
      open(browser, server, {
        ...shape,
        extraHTTPHeaders: { "remote-user": `${user}-${people}`, "remote-name": name },
      });
    [ann, ben] = await Promise.all([as("ann", "Ann Lee"), as("ben", "Ben Oak")]);
    await ask(ann.page, "What makes the tides?");
    await waitForEnd(ann.page);
    conversation = new URL(ann.page.url()).pathname;
  });
  afterEach(async () => {
    await close(ann);
    await close(ben);
  });

  it("a link is read and gone on with by somebody else, until it is withdrawn", async () => {
    const { page } = ann;
    const reader = ben.page;
    await openDialog(page);
    const link = await makeLink(page);
    expect(link.startsWith(`${server.origin}/s/`)).toBe(true);
    await fitsAndBreaksNoRule(page);
    await page.keyboard.press("Escape");
    await expect.poll(() => dialogOf(page).count()).toBe(0);
    const begun = page.getByRole("button", { name: /^(Share…|More for this conversation)$/ });
    await expect
      .poll(() => begun.evaluate((button) => button === document.activeElement))
      .toBe(true);

    await reader.goto(link);
    await finalAnswer(reader).getByRole("button", { name: "Copy answer" }).waitFor();
    await reader.getByText(/^Shared by Ann Lee on .* works until /).waitFor();
    await reader.getByText("What makes the tides?").first().waitFor();
    expect(await reader.getByLabel("Your question").count()).toBe(0);
    expect(await reader.getByRole("button", { name: "Ask again…" }).count()).toBe(0);
    expect(await reader.getByRole("button", { name: "Edit the question" }).count()).toBe(0);
    await fitsAndBreaksNoRule(reader);

    await reader.getByRole("button", { name: "Continue as my own" }).press("Enter");
    await reader.waitForURL(/\/c\//);
    await reader.getByLabel("Your question").fill("And what makes the ebb?");
    await reader.getByRole("button", { name: "Ask", exact: true }).click();
    await reader.getByRole("button", { name: "Copy answer" }).nth(1).waitFor({ timeout: patience });
    const copy = reader.url();

    await page.goto(link);
    await page.getByText(/^Shared by you on /).waitFor();
    await finalAnswer(page).waitFor();
    await fitsAndBreaksNoRule(page);
    await page.getByRole("button", { name: "Stop sharing" }).press("Enter");
    await sure(page);
    await page.waitForURL(`**${conversation}`);
    await page.getByText("The link no longer works.").waitFor();

    await reader.goto(link);
    await reader.getByRole("heading", { name: "This link does not work any more" }).waitFor();
    await fitsAndBreaksNoRule(reader);
    forgiveGone(ben);
    // What was copied stays its reader's.
    await reader.goto(copy);
    await reader.getByRole("button", { name: "Copy answer" }).nth(1).waitFor();
  });

  it("links are made and withdrawn by keyboard alone, in the dialog and in the settings", async () => {
    const { page } = ann;
    const dialog = dialogOf(page);
    await openDialog(page);
    const first = await makeLink(page);
    await expect
      .poll(() => newLink(page).evaluate((field) => field === document.activeElement))
      .toBe(true);
    await dialog.getByRole("button", { name: /^Stop sharing: / }).press("Enter");
    expect(await violations(page)).toEqual([]);
    await sure(page);
    await dialog.getByText("The link no longer works.").waitFor();
    await expect.poll(() => dialog.getByRole("listitem").count()).toBe(0);
    await expect.poll(() => focused(page)).toBe("Create link");
    expect(await makeLink(page)).not.toBe(first);
    await page.keyboard.press("Escape");
    await expect.poll(() => dialog.count()).toBe(0);

    await page.goto("/settings");
    const panel = page.getByRole("region", { name: "Shared links" });
    await panel.getByText(/works until /).waitFor();
    expect(await panel.getByRole("listitem").count()).toBe(1);
    expect(await panel.getByRole("link").getAttribute("href")).toBe(conversation);
    await fitsAndBreaksNoRule(page);
    await panel.getByRole("button", { name: /^Stop sharing: / }).press("Enter");
    await sure(page);
    await panel.getByText("Nothing is shared.").waitFor();
    await expect.poll(() => focused(page)).toBe("Shared links");
    // Nobody has read it, and nobody can.
    await ben.page.goto(first);
    await ben.page.getByRole("heading", { name: "This link does not work any more" }).waitFor();
    forgiveGone(ben);
  });
});
