/** What people do before the last thing they did has gone through. */
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
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
  type Watched,
  waitForEnd,
  wide,
} from "./browser";
import { OwnServer, pace } from "./own-server";

let browser: Browser;
let quick: OwnServer;
let endless: OwnServer;
beforeAll(async () => {
  [browser, quick, endless] = await Promise.all([
    launch(),
    OwnServer.start(),
    OwnServer.start(pace.endless),
  ]);
});
afterAll(() => Promise.all([browser.close(), quick.close(), endless.close()]));

const box = (page: Page) => page.getByLabel("Your question");
const askButton = (page: Page) => page.getByRole("button", { name: "Ask", exact: true });

async function visit(
  server: OwnServer,
  shape: BrowserContextOptions,
  act: (watched: Watched) => Promise<void>,
) {
  const watched = await open(browser, server, shape);
  await act(watched);
  await close(watched);
}

/** Holds requests until they are let go. */
async function hold(page: Page, path: RegExp): Promise<() => void> {
  let letGo: () => void = () => undefined;
  const gate = new Promise<void>((done) => {
    letGo = done;
  });
  await page.route(path, async (route) => {
    await gate;
    await route.fallback();
  });
  return letGo;
}

/** Presses, and returns once the request that this sends has left the page. */
async function sending(page: Page, path: RegExp, press: () => Promise<unknown>) {
  const sent = page.waitForRequest(path);
  await press();
  await sent;
}

async function conversationOf(page: Page) {
  const id = new URL(page.url()).pathname.replace("/c/", "");
  const response = await page.request.get(`/api/conversations/${id}`);
  return (await response.json()) as { messages: { role: string; status?: string }[] };
}

const stream = /\/message\/stream$/;

describe("Stop, while the question is on its way", () => {
  it("stops its run as soon as it has one", () =>
    visit(endless, { viewport: wide }, async ({ page }) => {
      const letGo = await hold(page, stream);
      await page.goto("/");
      await box(page).fill("Is it too late to stop?");
      await sending(page, stream, () => askButton(page).click());
      await page.getByRole("button", { name: "Stop", exact: true }).click();
      await page.getByRole("button", { name: "Stopping…" }).waitFor();
      letGo();
      await page.getByText("Stopped.", { exact: true }).waitFor();
      const { messages } = await conversationOf(page);
      expect(messages.map(({ status }) => status).at(-1)).toBe("cancelled");
    }));

  it("gives it back where it does not get through, and asks nothing later", () =>
    visit(endless, { viewport: wide }, async (watched) => {
      const { page } = watched;
      await page.route(stream, (route) => route.abort("connectionreset"));
      await page.goto("/");
      const list = await page.request.get("/api/conversations");
      const before = ((await list.json()) as unknown[]).length;
      await box(page).fill("Does anybody hear this?");
      await askButton(page).click();
      await page.waitForURL(/\/c\//);
      await page.getByText("Reconnecting…").waitFor();
      // It is cancelled all the same, in case it did get through.
      const unheard = page.waitForEvent("requestfinished", (request) =>
        request.url().endsWith("/message/cancel"),
      );
      await page.getByRole("button", { name: "Stop", exact: true }).click();
      await expect.poll(() => box(page).inputValue()).toBe("Does anybody hear this?");
      await askButton(page).waitFor();
      expect((await (await unheard).response())?.status()).toBe(404);
      expect(new URL(page.url()).pathname).toBe("/");
      await page.unroute(stream);
      await page.reload();
      await expect.poll(() => box(page).inputValue()).toBe("Does anybody hear this?");
      const begun = (await (await page.request.get("/api/conversations")).json()) as unknown[];
      expect(begun.length).toBe(before);
      forgiveCuts(watched);
      await expect.poll(() => watched.faults.join()).toMatch(/^[^,]*404[^,]*\/message\/cancel$/);
      watched.faults.length = 0;
    }));
});

it("what is typed after the question was sent is kept for the next one", () =>
  visit(quick, { viewport: wide }, async ({ page }) => {
    const letGo = await hold(page, stream);
    await page.goto("/");
    await box(page).fill("What is a tide?");
    await sending(page, stream, () => askButton(page).click());
    await box(page).press("End");
    await box(page).pressSequentially(" And a current?");
    letGo();
    await page.waitForURL(/\/c\//);
    await page.locator(".question").getByText("What is a tide?", { exact: true }).waitFor();
    // Where the page has moved on before the first letter, the space before it is typed there too.
    expect((await box(page).inputValue()).trim()).toBe("And a current?");
    await waitForEnd(page);
  }));

it("a question asked on another device meanwhile is shown with its text", () =>
  visit(endless, { viewport: wide }, async (one) => {
    await ask(one.page, "Who was first?");
    await one.page.getByRole("button", { name: "Stop", exact: true }).click();
    await one.page.getByText("Stopped.", { exact: true }).waitFor();
    await visit(endless, { viewport: wide }, async (other) => {
      await other.page.goto(new URL(one.page.url()).pathname);
      await other.page.getByText("Stopped.", { exact: true }).waitFor();
      await box(one.page).fill("Is it me?");
      await askButton(one.page).click();
      await one.page.locator(".answer-writing").first().waitFor();
      await box(other.page).fill("Or is it me?");
      await askButton(other.page).click();
      await other.page.getByText("Not sent.").waitFor();
      await other.page.locator(".question").getByText("Is it me?", { exact: true }).waitFor();
      expect(await box(other.page).inputValue()).toBe("Or is it me?");
      expect(other.faults.splice(0).join()).toMatch(/^[^,]*409[^,]*$/);
    });
    await one.page.getByRole("button", { name: "Stop", exact: true }).click();
    await one.page.getByText("Stopped.", { exact: true }).nth(1).waitFor();
  }));

describe.each(bothShapes)("on %s", (_, shape) => {
  it("one member alone is asked what it meant, and then the council again", () =>
    visit(quick, shape, async ({ page }) => {
      const who = page.getByLabel("Who is asked");
      await ask(page, "What makes the wind?");
      await waitForEnd(page);
      await box(page).click();
      const names = await who.locator("option").allTextContents();
      expect(names.slice(0, 1).concat(names.slice(-1))).toEqual([
        "To the council",
        "Only to the chairman",
      ]);
      await who.selectOption({ index: 1 });
      await box(page).fill("What do you mean by that?");
      await expect.poll(() => page.locator(".estimate").textContent()).toContain("· 1 call");
      expect(await violations(page)).toEqual([]);
      await askButton(page).click();
      await page
        .getByText(/^Answer of .* alone, without the council$/)
        .waitFor({ timeout: patience });
      await askButton(page).waitFor();
      expect(await who.inputValue(), "the next question is for all").toBe("");
      expect(await violations(page)).toEqual([]);
    }));
});

it("two tags that are removed one after the other are both gone", () =>
  visit(quick, { viewport: wide }, async ({ page }) => {
    await ask(page, "What makes the wind?");
    await waitForEnd(page);
    const tags = ["one", "two", "three"].map((tag) => `${tag}${Date.now()}`) as [
      string,
      string,
      string,
    ];
    const remove = (tag: string) => page.getByRole("button", { name: `Remove the tag ${tag}` });
    for (const tag of tags) {
      await page.getByRole("button", { name: "Tag", exact: true }).click();
      await page.getByLabel("New tag").fill(tag);
      await page.getByLabel("New tag").press("Enter");
      await remove(tag).waitFor();
      // What is typed next must not become a question.
      const add = page.getByRole("button", { name: "Tag", exact: true });
      await expect
        .poll(() => add.evaluate((button) => button === document.activeElement))
        .toBe(true);
    }
    const letGo = await hold(page, /\/tags$/);
    await sending(page, /\/tags$/, () => remove(tags[0]).click());
    await remove(tags[1]).click();
    const both = page.waitForResponse(
      (response) =>
        response.url().endsWith("/tags") &&
        response.request().postData() === JSON.stringify({ tags: [tags[2]] }),
    );
    letGo();
    await both;
    await page.reload();
    await remove(tags[2]).waitFor();
    expect(await page.getByRole("button", { name: /^Remove the tag/ }).count()).toBe(1);
  }));

it("choosing an option by Enter does not ask", () =>
  visit(quick, { viewport: wide }, async ({ page }) => {
    const asked: string[] = [];
    page.on("request", (request) => {
      if (stream.test(request.url())) asked.push(request.url());
    });
    await page.goto("/");
    await box(page).fill("Was I done?");
    await page.getByRole("button", { name: "Options" }).click();
    const radio = page.locator(".options-panel input[type=radio]").first();
    await radio.focus();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Enter");
    expect(new URL(page.url()).pathname).toBe("/");
    expect(await box(page).inputValue()).toBe("Was I done?");
    await askButton(page).click();
    await page.waitForURL(/\/c\//);
    await waitForEnd(page);
    expect(asked.length).toBe(1);
  }));

it("a tablet that is turned with the sidebar open can be used", () =>
  visit(quick, { viewport: { width: 820, height: 1180 } }, async ({ page }) => {
    await page.goto("/");
    await page.getByRole("button", { name: "Open the sidebar" }).click();
    await page.getByRole("dialog", { name: "Sidebar" }).waitFor();
    await page.setViewportSize({ width: 1180, height: 820 });
    await box(page).click();
    await page.keyboard.type("Still there?");
    expect(await box(page).inputValue()).toBe("Still there?");
  }));

it("on a phone what was deleted in the sidebar is brought back from there", () =>
  visit(quick, shapes.phone, async ({ page }) => {
    await ask(page, `What makes the tides? ${Date.now()}`);
    await waitForEnd(page);
    await page.getByRole("button", { name: "Open the sidebar" }).click();
    const entry = page.locator(".drawer .entry-open");
    // Not by its title, which may still be given.
    const address = await entry.getByRole("link").first().getAttribute("href");
    await entry.getByRole("button", { name: /^More for / }).click();
    await page.getByRole("menuitem", { name: "Delete" }).click();
    await page.getByRole("button", { name: "Undo" }).click();
    await page.locator(`.drawer .entry-open a[href="${address}"]`).waitFor();
  }));

describe.each(bothShapes)("on %s the newest question comes to the top", (_, shape) => {
  /** A busy browser may stand still on the way: it has come to rest where it is seen twice, and that is at the top. */
  const restsAtTheTop = async (page: Page) => {
    const least = "isMobile" in shape ? 56 : 0;
    let before = Number.NaN;
    await expect
      .poll(async () => {
        const now = (await page.locator(".question").last().boundingBox())?.y ?? -1;
        const rests = now === before && now >= least && now < 180;
        before = now;
        return rests ? "at the top" : `at ${String(now)}`;
      })
      .toBe("at the top");
  };

  it("when it is asked, and when it is asked again", () =>
    visit(quick, shape, async ({ page }) => {
      await ask(page, "What is a spring tide?");
      await waitForEnd(page);
      const ended = async (turns: number) => {
        await expect
          .poll(() => page.getByRole("button", { name: "Copy answer" }).count())
          .toBe(turns);
        await askButton(page).waitFor();
      };
      for (const [at, next] of ["And a neap tide?", "Which of them is higher?"].entries()) {
        await box(page).fill(next);
        await askButton(page).click();
        await page.locator(".question").getByText(next, { exact: true }).waitFor();
        await ended(at + 2);
        await restsAtTheTop(page);
      }
      await page.getByRole("button", { name: "Ask again" }).last().click();
      await page.getByRole("menuitem", { name: "Write the final answer again" }).click();
      await page.getByRole("button", { name: "Next answer" }).last().waitFor();
      await ended(3);
      await restsAtTheTop(page);
    }));
});
