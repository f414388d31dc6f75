import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { ask, close, launch, open, patience, send, type Watched, waitForEnd } from "./browser";
import { OwnServer } from "./own-server";

let browser: Browser;
let server: OwnServer;
let watched: Watched;
beforeAll(async () => {
  [browser, server] = await Promise.all([launch(), OwnServer.start()]);
});
afterAll(() => Promise.all([browser.close(), server.close()]));
beforeEach(async () => {
  watched = await open(browser, server);
});
afterEach(() => close(watched));

it("renames a conversation in place, finds it, deletes it and takes that back", async () => {
  const { page } = watched;
  const name = `Tides ${Date.now()}`;
  await ask(page, "What makes the tides?");
  await waitForEnd(page);
  const list = page.getByRole("navigation", { name: "Conversations" });
  const entry = list.locator(".entry-open");
  const choose = async (action: string) => {
    await entry.hover();
    await entry.getByRole("button", { name: /^More for / }).click();
    await page.getByRole("menuitem", { name: action }).click();
  };
  await choose("Rename");
  await page.getByLabel(/^New title for/).fill(name);
  await page.getByLabel(/^New title for/).press("Enter");
  await list.getByRole("link", { name }).waitFor();
  await page.getByRole("heading", { name, level: 1 }).waitFor();

  await page.getByLabel("Search conversations").fill(name);
  await page.locator(".hits").getByRole("link", { name }).waitFor();
  await page.getByLabel("Search conversations").fill("");

  await choose("Delete");
  await page.getByText(`“${name}” was deleted.`).waitFor();
  await expect.poll(() => list.getByRole("link", { name }).count()).toBe(0);
  await page.getByRole("button", { name: "Undo" }).click();
  await list.getByRole("link", { name }).waitFor();
  await page.getByRole("heading", { name, level: 1 }).waitFor();
});

it("tags a conversation, and shows only those with the tag", async () => {
  const { page } = watched;
  const tag = `t${Date.now()}`;
  await ask(page, "What makes the wind?");
  await waitForEnd(page);
  await page.getByRole("button", { name: "Tag", exact: true }).click();
  await page.getByLabel("New tag").fill(tag);
  await page.getByLabel("New tag").press("Enter");
  await page.getByRole("button", { name: `Remove the tag ${tag}` }).waitFor();
  const list = page.getByRole("navigation", { name: "Conversations" });
  await page.getByRole("button", { name: tag, exact: true }).click();
  await expect.poll(() => list.getByRole("listitem").count()).toBe(1);
  await page.getByRole("button", { name: `Remove the tag ${tag}` }).click();
  await expect.poll(() => page.getByRole("button", { name: tag, exact: true }).count()).toBe(0);
});

it("asks the council that was set", async () => {
  const { page } = watched;
  await page.goto("/settings");
  try {
    const remove = page.locator(".members").getByRole("button", { name: /^Remove / });
    await remove.first().waitFor();
    while ((await remove.count()) > 1) await remove.last().click();
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("Not saved.").waitFor();
    await page.locator(".field-error").first().waitFor();
    // The browser reports every refused request; this one was meant.
    expect(watched.faults.splice(0).join()).toMatch(/^[^,]*422[^,]*$/);

    await page.getByLabel("Search models").fill("boreal");
    await page.getByRole("option", { name: /boreal\/chat/ }).click();
    await page
      .locator(".member")
      .last()
      .getByLabel(/^Shown as/)
      .fill("The Sceptic");
    await page.getByRole("button", { name: "Move The Sceptic up" }).click();
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("The council was saved.").waitFor();

    await ask(page, "Is the moon made of cheese?");
    await page
      .getByRole("article", { name: "Answer of The Sceptic" })
      .waitFor({ timeout: patience });
    expect(await page.getByRole("article", { name: /^Answer of / }).count()).toBe(2);
    await waitForEnd(page);
  } finally {
    await send(page, "POST", "/api/config/reset", {});
  }
});

it("shows a token once, and revokes it", async () => {
  const { page } = watched;
  const name = `laptop ${Date.now()}`;
  await page.goto("/settings");
  await page.getByLabel("New token for").fill(name);
  await page.getByRole("button", { name: "Make token" }).click();
  const secret = page.locator(".secret code");
  await secret.waitFor();
  expect(((await secret.textContent()) ?? "").length).toBeGreaterThan(30);
  await page.reload();
  await page.getByText(name).waitFor();
  expect(await secret.count()).toBe(0);
  await page.getByRole("button", { name: `Revoke ${name}` }).click();
  await page.getByRole("button", { name: `Really revoke ${name}` }).click();
  await expect.poll(() => page.getByRole("button", { name: `Revoke ${name}` }).count()).toBe(0);
});
