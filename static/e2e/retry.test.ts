/** Asking again for an answer, and reading the earlier ones. */
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { violations } from "./axe";
import {
  ask,
  bothShapes,
  close,
  finalAnswer,
  launch,
  open,
  patience,
  phone,
  send,
  type Watched,
  waitForEnd,
  wide,
} from "./browser";
import { OwnServer } from "./own-server";
import { ScriptedModels } from "./scripted-models";

let browser: Browser;
let server: OwnServer;
beforeAll(async () => {
  [browser, server] = await Promise.all([launch(), OwnServer.start()]);
});
afterAll(() => Promise.all([browser.close(), server.close()]));

const weak = [{ model: "aurora/large" }, { model: "boreal/chat" }, { model: "cedar/fails" }];
const versions = (page: Page) => page.getByRole("navigation", { name: "Versions of this answer" });

/** Asks again by a control, and waits until the new answer is the one that is shown. */
async function again(page: Page, press: () => Promise<void>, count: number) {
  await press();
  await versions(page).getByText(`Answer ${count} of ${count}`).waitFor({ timeout: patience });
  await waitForEnd(page);
}

async function menu(page: Page, item: RegExp) {
  await finalAnswer(page).getByRole("button", { name: "Ask again…" }).click();
  await page.getByRole("menuitem", { name: item }).click();
}

async function stored(page: Page) {
  const id = new URL(page.url()).pathname.split("/").at(-1);
  const response = await page.request.get(`/api/conversations/${id}`);
  return (await response.json()) as {
    messages: {
      role: string;
      run_id?: string;
      earlier_runs?: string[];
      stage2?: { member: string }[];
    }[];
  };
}

describe.each(bothShapes)("on %s", (_, shape) => {
  let watched: Watched;
  let page: Page;
  beforeEach(async () => {
    watched = await open(browser, server, shape);
    page = watched.page;
    await page.goto("/");
  });
  afterEach(async () => {
    await send(page, "POST", "/api/config/reset", {});
    await close(watched);
  });

  it("the final answer, the reviews and everybody can be asked again, in the same place", async () => {
    await ask(page, "What is a good name for a boat?");
    await waitForEnd(page);
    expect(await versions(page).count()).toBe(0);
    await again(page, () => menu(page, /^Write the final answer again/), 2);
    await again(page, () => menu(page, /^Review again/), 3);
    await again(page, () => menu(page, /^Ask everybody again/), 4);
    expect(await page.locator(".turn").count()).toBe(1);
    const { messages } = await stored(page);
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
    expect(messages[1]?.earlier_runs).toHaveLength(3);
    expect(await violations(page)).toEqual([]);
  });

  it("a member that failed is asked again from its card, and what is missing from below", async () => {
    await send(page, "PUT", "/api/config", { council_models: weak });
    await ask(page, "What is a good name for a mill?");
    await waitForEnd(page);
    const showCard = async () => {
      if (shape.viewport === phone) await page.getByRole("tab", { name: /fails/ }).click();
    };
    await showCard();
    const card = page.getByRole("article", { name: "Answer of cedar/fails" });
    const retry = card.getByRole("button", { name: "Try again: cedar/fails" });
    await again(page, () => retry.click(), 2);
    // The simulated model fails for ever.
    await showCard();
    await retry.waitFor();
    const missing = finalAnswer(page).getByRole("button", { name: "Retry what failed" });
    await again(page, () => missing.click(), 3);
    expect(await violations(page)).toEqual([]);
  });

  it("earlier answers are read, and say that they can only be read", async () => {
    await ask(page, "What is a good name for a hill?");
    await waitForEnd(page);
    await again(page, () => menu(page, /^Write the final answer again/), 2);
    const back = versions(page).getByRole("button", { name: "Previous answer" });
    await back.focus();
    await page.keyboard.press("Enter");
    await versions(page).getByText("Answer 1 of 2").waitFor();
    await page.getByText("This is an earlier answer.").waitFor();
    await finalAnswer(page).getByRole("button", { name: "Copy answer" }).waitFor();
    expect(await page.getByRole("button", { name: "Ask again…" }).count()).toBe(0);
    expect(await page.getByRole("button", { name: "Good answer" }).count()).toBe(0);
    expect(await violations(page)).toEqual([]);
    await page.getByRole("button", { name: "Show the latest" }).click();
    await versions(page).getByText("Answer 2 of 2").waitFor();
    await page.reload();
    await versions(page).getByText("Answer 2 of 2").waitFor();
  });

  it("what cannot be asked again is said beside the button, and the page catches up", async () => {
    await ask(page, "What is a good name for a lake?");
    await waitForEnd(page);
    const { messages } = await stored(page);
    const run = messages[1]?.run_id;
    const other = await open(browser, server, shape);
    await other.page.goto(page.url());
    await other.page.getByRole("button", { name: "Ask again…" }).waitFor();
    await again(page, () => menu(page, /^Write the final answer again/), 2);

    await menu(other.page, /^Review again/);
    await versions(other.page).getByText("Answer 2 of 2").waitFor();
    expect(other.faults.splice(0).join()).toMatch(/^[^,]*409[^,]*$/);
    expect((await stored(page)).messages[1]?.earlier_runs).toEqual([run]);
    await close(other);

    for (const [status, detail] of [
      [402, "The month’s budget is used up."],
      [429, "You have too many questions waiting."],
      [422, "Some fields are wrong."],
    ] as const) {
      await page.route("**/retry", (route) =>
        route.fulfill({ status, json: { type: "x", title: "x", status, detail } }),
      );
      await menu(page, /^Review again/);
      await finalAnswer(page).getByRole("alert").getByText(detail).waitFor();
      await page.unroute("**/retry");
    }
    expect(watched.faults.splice(0)).toHaveLength(3);
    expect(await violations(page)).toEqual([]);
    await again(page, () => menu(page, /^Review again/), 3);
    expect(await finalAnswer(page).getByRole("alert").count()).toBe(0);
  });
});

describe("while the others still answer", () => {
  const moody = "c/moody";
  let models: ScriptedModels;
  let council: OwnServer;
  let isWell = false;
  /** Lets the answers of the others end. */
  let go = () => {};
  let gone = Promise.resolve();
  beforeAll(async () => {
    models = await ScriptedModels.start(({ model, purpose }) => {
      const ranked = ["1. Response A", "2. Response B", "3. Response C"];
      if (purpose === "review") return { text: ["FINAL RANKING:", ...ranked].join("\n") };
      if (purpose === "title") return { text: "Names of dogs" };
      if (purpose !== "answer") return { text: "Rex it is." };
      if (model !== moody) return { text: `${model} says: Rex.`, before: () => gone };
      return isWell ? { text: "Well then: Rex." } : { text: "", error: "not today" };
    });
    council = await OwnServer.start(models.settings(["a/one", "b/two", moody]));
  });
  afterAll(async () => {
    await council.close();
    await models.close();
  });

  it.each(bothShapes)("a member that failed is asked again on %s", async (_, shape) => {
    isWell = false;
    gone = new Promise((resolve) => {
      go = resolve;
    });
    const watched = await open(browser, council, shape);
    const { page } = watched;
    await ask(page, "What is a good name for a dog?");
    const tab = page.getByRole("tab", { name: /moody/ });
    const card = page.getByRole("article", { name: `Answer of ${moody}` });
    await card.or(tab).first().waitFor({ timeout: patience });
    if (await tab.isVisible()) await tab.click();
    const retry = card.getByRole("button", { name: "Try again: moody" });
    await retry.waitFor({ timeout: patience });
    expect(await violations(page)).toEqual([]);

    const type = "urn:llm-council:problem:not-retried";
    await page.route("**/retry-member", (route) =>
      route.fulfill({ status: 409, json: { type, title: "x", status: 409, detail: "x" } }),
    );
    await retry.click();
    await card.getByRole("alert").getByText("It cannot be asked again now.").waitFor();
    await page.unroute("**/retry-member");
    expect(watched.faults.splice(0)).toHaveLength(1);

    isWell = true;
    await retry.focus();
    await page.keyboard.press("Enter");
    await card.getByText("Well then: Rex.").waitFor({ timeout: patience });
    expect(await retry.count()).toBe(0);
    const hasFocus = () => card.evaluate((element) => element === document.activeElement);
    await expect.poll(hasFocus).toBe(true);
    go();
    await waitForEnd(page);
    const { messages } = await stored(page);
    expect(messages[1]?.stage2?.map(({ member }) => member)).toContain(moody);
    await close(watched);
  });
});

it("the menu is used by keyboard alone", async () => {
  const watched = await open(browser, server, { viewport: wide });
  const { page } = watched;
  await ask(page, "What is a good name for a pond?");
  await waitForEnd(page);
  const button = finalAnswer(page).getByRole("button", { name: "Ask again…" });
  await button.focus();
  await page.keyboard.press("ArrowDown");
  const focused = () => page.evaluate(() => document.activeElement?.textContent ?? "");
  await expect.poll(focused).toMatch(/^Write the final answer again/);
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press("End");
  expect(await focused()).toMatch(/^Ask everybody again/);
  await page.keyboard.press("ArrowDown");
  expect(await focused()).toMatch(/^Write the final answer again/);
  await page.keyboard.press("Escape");
  expect(await focused()).toBe("Ask again…");
  expect(await page.getByRole("menu").count()).toBe(0);
  await page.keyboard.press("Enter");
  await expect.poll(focused).toMatch(/^Write the final answer again/);
  await page.keyboard.press("Enter");
  await versions(page).getByText("Answer 2 of 2").waitFor();
  await waitForEnd(page);
  await close(watched);
});
