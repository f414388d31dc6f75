/** An earlier answer: offered, taken or not, told of above the answer, and listed. */
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
  send,
  shapes,
  type Watched,
  waitForEnd,
} from "./browser";
import { OwnServer } from "./own-server";
import { ScriptedModels } from "./scripted-models";

const members = ["a/first", "a/second"];
const question = "What happened on 3 May 1945?";
const inOtherWords = "What happened on May 3, 1945?";
const anotherDay = "What happened on 4 June 1945?";

let browser: Browser;
let models: ScriptedModels;
let server: OwnServer;
/** How often a member was asked. */
let answers = 0;
beforeAll(async () => {
  models = await ScriptedModels.start(({ purpose }) => {
    if (purpose === "answer") answers += 1;
    const said = {
      answer: "Much.",
      review: "Both are good.\n\nFINAL RANKING:\n1. Response A\n2. Response B",
      synthesis: `The final answer after ${answers} answers.`,
      title: "A day",
      research: "",
    };
    return { text: said[purpose] };
  });
  [browser, server] = await Promise.all([launch(), OwnServer.start(models.settings(members))]);
});
afterAll(async () => {
  await Promise.all([browser.close(), server.close()]);
  await models.close();
});

let watched: Watched;
let page: Page;
beforeEach(async () => {
  watched = await open(browser, server, shapes.wide);
  page = watched.page;
  await page.goto("/");
  const settings = { use_api_embeddings: true, embedding_model: "a/embed" };
  await send(page, "PUT", "/api/config", { ...settings, default_options: { use_cache: true } });
  const { origin } = new URL(page.url());
  await page.request.fetch("/api/cache", { method: "DELETE", headers: { origin } });
});
afterEach(() => close(watched));

const offer = (on = page) => on.locator(".earlier-offer");
const banner = (on = page) => on.locator(".earlier-banner").last();
const secondsLeft = async () =>
  Number(/\d+/.exec((await offer().getByRole("timer").textContent()) ?? "")?.[0]);

/** A question whose answer is there; its conversation's path. */
async function asked(): Promise<string> {
  await ask(page, question);
  await waitForEnd(page);
  return new URL(page.url()).pathname;
}

describe("an earlier answer", () => {
  it("is offered in the place of the answer, and taken with the keyboard", async () => {
    const path = await asked();
    const line = page.getByRole("button", { name: /^Reuse earlier answers/ });
    await line.click();
    await page.getByText("This answer is kept for later questions like it.").waitFor();
    const before = answers;

    await ask(page, inOtherWords);
    await offer().getByRole("heading", { name: "You asked much the same before" }).waitFor();
    expect(await offer().locator("blockquote").textContent()).toBe(question);
    expect(await secondsLeft()).toBeGreaterThan(40);
    await expect
      .poll(() => page.getByTestId("run-status").textContent())
      .toContain("There is an earlier answer");
    expect(await violations(page)).toEqual([]);
    // The composer keeps the focus: nobody takes an answer by typing on.
    await page.getByLabel("Your question").focus();
    await page.keyboard.press("Shift+Tab");
    await page.keyboard.press("Shift+Tab");
    await page.keyboard.press("Enter");
    await waitForEnd(page);
    await offer().waitFor({ state: "detached" });
    expect(answers).toBe(before);
    expect(await finalAnswer(page).textContent()).toContain(`after ${before} answers`);
    const told = async () => {
      await banner().getByText(`Answered today`).waitFor();
      return banner().textContent();
    };
    const live = await told();
    expect(live).toContain(question);
    expect(await violations(page)).toEqual([]);
    await page.reload();
    expect(await told()).toBe(live);
    await banner().getByRole("button", { name: "Open that conversation" }).click();
    await expect.poll(() => new URL(page.url()).pathname).toBe(path);
  });

  it("is offered also to whoever asks before the page has read the settings", async () => {
    await asked();
    let read = () => {};
    const held = new Promise<void>((done) => {
      read = done;
    });
    await page.route("**/api/config", async (route) => {
      await held;
      await route.continue();
    });
    await page.goto("/");
    await page.getByLabel("Your question").fill(inOtherWords);
    await page.getByRole("button", { name: "Ask", exact: true }).click();
    read();
    await page.waitForURL(/\/c\//);
    await offer().getByRole("button", { name: "Use that answer" }).click();
    await waitForEnd(page);
  });

  it("that is refused leads to a run like any other", async () => {
    await asked();
    const before = answers;
    await ask(page, inOtherWords);
    await offer().getByRole("button", { name: "Ask anyway" }).click();
    await waitForEnd(page);
    expect(answers).toBe(before + members.length);
    expect(await banner().count()).toBe(0);
    await page.getByRole("button", { name: /^Reuse earlier answers/ }).click();
    await page.getByText("the council was asked anyway").waitFor();
  });

  it("is offered again after a reload, and another tab's word ends it here", async () => {
    await asked();
    await ask(page, inOtherWords);
    await offer().waitFor();
    const before = await secondsLeft();
    await page.reload();
    await offer().waitFor();
    expect(await secondsLeft()).toBeLessThanOrEqual(before);
    const other = await page.context().newPage();
    await other.goto(page.url());
    await offer(other).getByRole("button", { name: "Use that answer" }).click();
    await offer().waitFor({ state: "detached" });
    await waitForEnd(page);
    await banner().getByText("Answered today").waitFor();
    await other.close();
  });

  it("that could not be answered says so, and can be answered once more", async () => {
    await asked();
    await ask(page, inOtherWords);
    await page.route("**/api/runs/*/cache", (route) => route.abort(), { times: 1 });
    await offer().getByRole("button", { name: "Use that answer" }).click();
    await offer().getByRole("alert").waitFor();
    expect(await violations(page)).toEqual([]);
    await offer().getByRole("button", { name: "Use that answer" }).click();
    await waitForEnd(page);
    const aborted = (fault: string) => fault.includes("ERR_FAILED") && fault.endsWith("/cache");
    watched.faults.splice(0, 9, ...watched.faults.filter((fault) => !aborted(fault)));
  });

  it("to a question with another date is none", async () => {
    await asked();
    await ask(page, anotherDay);
    await waitForEnd(page);
    await page.getByRole("button", { name: /^Reuse earlier answers/ }).click();
    await page.getByText(/earlier question has (?:another date|other numbers)/).waitFor();
  });

  it("comes unasked where that was chosen, and the council can be asked after it", async () => {
    await asked();
    await page.goto("/");
    await page.getByRole("button", { name: /^Options/ }).click();
    await page.getByText("Without asking", { exact: true }).click();
    await page.getByRole("button", { name: /^Options/ }).click();
    await page.getByRole("button", { name: "Take back: Reuse answers without asking" }).waitFor();
    await page.getByLabel("Your question").fill(inOtherWords);
    await page.getByRole("button", { name: "Ask", exact: true }).click();
    await page.waitForURL(/\/c\//);
    await waitForEnd(page);
    const before = answers;
    await banner().getByRole("button", { name: "Ask anyway" }).click();
    await page.getByText(`after ${before + members.length} answers`).waitFor();
    await page.getByRole("button", { name: "Ask", exact: true }).waitFor();
    expect(await page.locator(".turn").count()).toBe(2);
    expect(await page.locator(".turn").last().locator(".earlier-banner").count()).toBe(0);
  });
});

describe.each(bothShapes)("the kept answers on %s", (_, shape) => {
  it("are listed, searched and removed", async () => {
    await asked();
    await ask(page, anotherDay);
    await waitForEnd(page);
    await close(watched);
    watched = await open(browser, server, shape);
    page = watched.page;
    await page.goto("/settings#cache");
    await page.locator("#cache").getByRole("link", { name: "Kept answers" }).click();
    const entries = page.locator(".kept-entry");
    await expect.poll(() => entries.count()).toBe(2);
    await page.getByText("Only you get these answers again.").waitFor();
    expect(await violations(page)).toEqual([]);
    const tooWide = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    expect(tooWide).toBeLessThanOrEqual(0);
    await page.getByLabel("Search the questions").fill("june");
    await expect.poll(() => entries.count()).toBe(1);
    await page.getByRole("button", { name: `Remove: ${anotherDay}` }).click();
    expect(await violations(page)).toEqual([]);
    await page.getByRole("button", { name: "Remove it" }).click();
    await page.getByText("No kept answer is to a question with these words.").waitFor();
    await page.getByLabel("Search the questions").fill("");
    await entries.getByText(question).waitFor();
    await page.getByRole("button", { name: "Remove all…" }).click();
    await page.getByRole("button", { name: "Remove them" }).click();
    await page.getByRole("heading", { name: "No answers are kept yet" }).waitFor();
    expect(await violations(page)).toEqual([]);
  });
});
