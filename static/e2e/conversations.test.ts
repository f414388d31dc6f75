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
  await list.locator(".entry-open .entry-tag", { hasText: tag }).waitFor();
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
  await page.getByRole("button", { name: "Create token" }).click();
  const secret = page.locator(".secret code");
  await secret.waitFor();
  expect(((await secret.textContent()) ?? "").length).toBeGreaterThan(30);
  await page.reload();
  await page.getByText(name).waitFor();
  expect(await secret.count()).toBe(0);
  await page.getByRole("button", { name: `Revoke ${name}` }).click();
  await page
    .getByRole("dialog", { name: `Revoke “${name}”?` })
    .getByRole("button", { name: "Revoke" })
    .click();
  await expect.poll(() => page.getByRole("button", { name: `Revoke ${name}` }).count()).toBe(0);
});

it("lists what was deleted, restores it, and deletes it for good after asking", async () => {
  const { page } = watched;
  const name = `Ebb ${Date.now()}`;
  await ask(page, "What makes the ebb?");
  await waitForEnd(page);
  const id = new URL(page.url()).pathname.split("/").pop();
  // Not while a page shows it: that page might ask for it once more.
  await page.goto("/");
  await page.request.patch(`/api/conversations/${id}`, { data: { title: name } });
  await page.request.delete(`/api/conversations/${id}`);
  await page.getByRole("button", { name: "Archived" }).click();
  await page.getByRole("link", { name: "Deleted conversations" }).click();
  const row = page.locator(".deleted-row").filter({ hasText: name });
  await row.getByRole("button", { name: `Restore ${name}` }).click();
  await page.getByText(`“${name}” was restored.`).waitFor();
  await expect.poll(() => row.count()).toBe(0);

  await page.request.delete(`/api/conversations/${id}`);
  await page.reload();
  await row.getByRole("button", { name: `Delete for good: ${name}` }).click();
  await page.getByText("This cannot be undone.").waitFor();
  await page.getByRole("button", { name: "Keep it" }).click();
  await row.getByRole("button", { name: `Delete for good: ${name}` }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete for good" }).click();
  await page.getByText(`“${name}” was deleted for good.`).waitFor();
  await expect.poll(() => row.count()).toBe(0);
  expect((await page.request.get(`/api/conversations/${id}`)).status()).toBe(404);
});

it("a link fills in a question, its council and its options, and asks nothing", async () => {
  const { page } = watched;
  let asked = 0;
  page.on("request", (request) => {
    const isQuestion = /\/message(\/stream)?$/.test(new URL(request.url()).pathname);
    if (request.method() === "POST" && isQuestion) asked += 1;
  });
  await page.goto(
    "/?q=Why+%3Cb%3Eso%3C%2Fb%3E%3F&models=simulated/ada,simulated/basil&use_cot=true&preset=Nowhere",
  );
  const box = page.getByLabel("Your question");
  await expect.poll(() => box.inputValue()).toBe("Why <b>so</b>?");
  expect(new URL(page.url()).search).toBe("");
  await page.getByText("Asked instead of your council: simulated/ada, simulated/basil.").waitFor();
  await page.getByText("There is no preset “Nowhere” here").waitFor();
  await page.locator(".composer").getByText("Step by step").first().waitFor();
  expect(asked).toBe(0);
  await page.reload();
  await expect.poll(() => box.inputValue()).toBe("Why <b>so</b>?");

  await page.getByRole("button", { name: "Ask", exact: true }).click();
  await waitForEnd(page);
  expect(asked).toBe(1);
  expect(await page.locator("article.answer").count()).toBe(2);
  // What the link said was for that question.
  await page.getByRole("link", { name: "New conversation" }).first().click();
  await expect.poll(() => box.inputValue()).toBe("");
  expect(await page.getByText("Asked instead of your council").count()).toBe(0);
});
