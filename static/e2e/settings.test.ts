/** The council's settings: their order, their marks, and nothing lost by going away. */
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { violations } from "./axe";
import { bothShapes, close, launch, members, open, send, type Watched, wide } from "./browser";
import { OwnServer } from "./own-server";

let browser: Browser;
let server: OwnServer;
beforeAll(async () => {
  [browser, server] = await Promise.all([launch(), OwnServer.start()]);
});
afterAll(() => Promise.all([browser.close(), server.close()]));

describe.each(bothShapes)("on %s", (_, shape) => {
  let watched: Watched;
  let page: Page;
  beforeEach(async () => {
    watched = await open(browser, server, shape);
    page = watched.page;
    await page.goto("/settings");
    await page.locator(".member").first().waitFor();
  });
  afterEach(async () => {
    await send(page, "POST", "/api/config/reset", {});
    await close(watched);
  });

  const names = () => page.locator(".member-name").allTextContents();
  const handle = (name: string) => page.getByRole("button", { name: `Reorder ${name}` });
  const save = () => page.getByRole("button", { name: "Save", exact: true });
  const alias = (at: number) =>
    page
      .locator(".member")
      .nth(at)
      .getByLabel(/^Shown as/);
  const rename = (name: string) => alias(0).fill(name);
  const goAway = async () => {
    const menu = page.getByRole("button", { name: "Open the sidebar" });
    if (await menu.isVisible()) await menu.click();
    await page.getByRole("link", { name: "Dashboard" }).last().click();
  };
  const hasFocus = (one: Locator) => one.evaluate((el) => el === document.activeElement);
  const asked = (on: Page) => on.getByRole("dialog", { name: "Leave without saving?" });

  it("members are put in order by dragging, and stay so", async () => {
    const before = await names();
    const [first = "", second = "", third = ""] = before;
    // All three away from the edges of the screen, where dragging scrolls.
    await handle(first).evaluate((element) => {
      scrollBy({ top: element.getBoundingClientRect().top - 200, behavior: "instant" });
    });
    const from = await handle(first).boundingBox();
    const to = await page.locator(".member").nth(2).boundingBox();
    if (!from || !to) throw new Error("the members are not on the page");
    await page.mouse.move(from.x + from.width / 2, from.y + from.height / 2);
    await page.mouse.down();
    const x = from.x + from.width / 2;
    for (let step = 1; step <= 8; step += 1) {
      await page.mouse.move(x, from.y + from.height / 2 + ((to.y - from.y + 8) * step) / 8);
    }
    // The list follows a frame or more later, and a hand is never quite still.
    let still = false;
    await expect
      .poll(async () => {
        still = !still;
        await page.mouse.move(x, to.y + from.height / 2 + (still ? 8 : 9));
        return page.getByText(`${first} is over place 3 of ${before.length}.`).count();
      })
      .toBe(1);
    await page.mouse.up();
    await expect.poll(names).toEqual([second, third, first, ...before.slice(3)]);
    await save().click();
    await page.getByText("The council was saved.").waitFor();
    expect((await members(page))[2]?.endsWith(first)).toBe(true);
  });

  it("members are put in order by keys, and it is said where they are", async () => {
    const before = await names();
    const [first = "", second = ""] = before;
    await handle(first).press("Space");
    await page.getByText(`${first} is picked up, from place 1 of ${before.length}.`).waitFor();
    await page.keyboard.press("ArrowDown");
    await page.getByText(`${first} is over place 2 of ${before.length}.`).waitFor();
    await page.keyboard.press("Space");
    await expect.poll(names).toEqual([second, first, ...before.slice(2)]);
    await page.getByRole("button", { name: `Move ${first} up` }).press("Enter");
    await page.getByText(`${first} is at place 1 of ${before.length}.`).waitFor();
    expect(await names()).toEqual(before);
    expect(await violations(page)).toEqual([]);
  });

  it("their end says which version the server is", async () => {
    const { version } = await (await page.request.get("/api/version")).json();
    await page.getByText(`LLM Council ${version}`, { exact: true }).waitFor();
  });

  it("what is wrong is said while it is typed, and no longer once it is right", async () => {
    await rename("Twin");
    await alias(1).fill("Twin");
    await page.getByText(`give each a name of its own`).waitFor();
    const average = page.getByLabel("Average confidence below");
    await average.fill("11");
    await page.getByText("From 1 to 10.").waitFor();
    expect(await average.getAttribute("aria-invalid")).toBe("true");
    await page.getByText("Not saved yet · 2 fields need your attention").waitFor();
    expect(await violations(page)).toEqual([]);
    await average.fill("6");
    await rename("");
    await alias(1).fill("");
    await page.getByText("This is the instance’s default").waitFor();
    expect(await page.locator(".field-error").count()).toBe(0);
  });

  it("asks before edits are left behind, by a link or by going back", async () => {
    await goAway();
    await page.waitForURL("/dashboard");
    await page.goBack();
    await page.locator(".member").first().waitFor();
    await rename("The Sceptic");
    await goAway();
    await asked(page).waitFor();
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await expect.poll(() => asked(page).count()).toBe(0);
    expect(page.url()).toMatch(/\/settings$/);
    expect(await alias(0).inputValue()).toBe("The Sceptic");

    await page.evaluate(() => history.forward());
    await asked(page).getByRole("button", { name: "Save and leave" }).click();
    await page.waitForURL("/dashboard");
    expect(await members(page)).toContain("The Sceptic");

    await page.goBack();
    await page.locator(".member").first().waitFor();
    await rename("Nobody");
    await page.evaluate(() => history.forward());
    await asked(page).getByRole("button", { name: "Discard and leave" }).click();
    await page.waitForURL("/dashboard");
    expect(await members(page)).not.toContain("Nobody");
  });

  it("goes back to the defaults only when that was meant", async () => {
    await rename("The Sceptic");
    await save().press("Enter");
    await page.getByText("This is your own council").waitFor();
    await page.getByRole("button", { name: "Reset to default" }).press("Enter");
    const question = page.getByRole("dialog", { name: "Reset to default?" });
    await question.getByRole("button", { name: "Keep" }).press("Enter");
    expect(await members(page)).toContain("The Sceptic");
    await page.getByRole("button", { name: "Reset to default" }).press("Enter");
    await question.getByRole("button", { name: "Reset", exact: true }).press("Enter");
    await page.getByText("This is the instance’s default").waitFor();
    expect(await members(page)).not.toContain("The Sceptic");
  });

  it("gives the focus back when a question is left, by whatever way", async () => {
    await rename("The Sceptic");
    await save().press("Enter");
    await page.getByText("This is your own council").waitFor();
    const reset = page.getByRole("button", { name: "Reset to default" });
    const question = page.getByRole("dialog", { name: "Reset to default?" });
    for (const leave of [
      () => question.getByRole("button", { name: "Keep" }).press("Enter"),
      () => page.keyboard.press("Escape"),
      () => page.mouse.click(2, 2),
    ]) {
      await reset.press("Enter");
      await question.waitFor();
      await leave();
      await expect.poll(() => question.count()).toBe(0);
      expect(await hasFocus(reset)).toBe(true);
    }
  });

  it("passes the focus on when a member goes", async () => {
    const [first = "", second = ""] = await names();
    await page.getByRole("button", { name: `Remove ${first}` }).press("Enter");
    await expect.poll(names).not.toContain(first);
    expect(await hasFocus(page.getByRole("button", { name: `Remove ${second}` }))).toBe(true);
  });

  it("keeps what is typed while it is being saved, and where", async () => {
    const row = page.locator(".member").first();
    await row.locator("summary").press("Enter");
    const prompt = row.getByRole("textbox", { name: /^System prompt/ });
    await prompt.fill("Be");
    let pass = () => {};
    const passed = new Promise<void>((done) => {
      pass = done;
    });
    await page.route("**/api/config", async (route) => {
      if (route.request().method() === "PUT") await passed;
      await route.continue();
    });
    await page.keyboard.press("Control+s");
    await page.getByRole("button", { name: "Saving…" }).waitFor();
    await page.keyboard.type(" brief.");
    pass();
    await page.getByText("The council was saved.").waitFor();
    expect(await hasFocus(prompt)).toBe(true);
    expect(await prompt.inputValue()).toBe("Be brief.");
    await page.getByText("Not saved yet").waitFor();
    await page.keyboard.press("Control+s");
    await page.getByText("This is your own council").waitFor();
    expect(await hasFocus(prompt)).toBe(true);
    await page.unroute("**/api/config");
  });

  it("shows what another tab saved, and does not undo it", async () => {
    const comeBack = () => page.evaluate(() => dispatchEvent(new Event("focus")));
    const chairman = page.getByLabel("Chairman", { exact: true });
    await send(page, "PUT", "/api/config", { chairman_model: "simulated/ada" });
    await comeBack();
    await expect.poll(() => chairman.inputValue()).toBe("simulated/ada");
    await page.getByText("This is your own council").waitFor();

    await rename("The Sceptic");
    await send(page, "PUT", "/api/config", { chairman_model: "simulated/bob" });
    await comeBack();
    await page.getByText("These settings were changed elsewhere meanwhile.").waitFor();
    expect(await violations(page)).toEqual([]);
    expect(await alias(0).inputValue()).toBe("The Sceptic");
    await save().press("Enter");
    await page.getByText("This is your own council").waitFor();
    const kept = await page.request.get("/api/config");
    expect(await kept.json()).toMatchObject({ chairman_model: "simulated/bob" });
    expect(await members(page)).toContain("The Sceptic");
  });

  it("leads to its parts, and says which one is shown", async () => {
    const nav = page.getByRole("navigation", { name: "Settings" });
    const link = nav.getByRole("link", { name: "Escalation" });
    await link.press("Enter");
    await expect.poll(() => link.getAttribute("aria-current")).toBe("location");
    // What is fetched late may come above it.
    await page.evaluate(() => {
      const late = document.createElement("div");
      late.style.height = "900px";
      document.querySelector("main")?.prepend(late);
    });
    await page.evaluate(() => new Promise(requestAnimationFrame));
    await expect.poll(() => link.getAttribute("aria-current")).toBe("location");
    const title = page.getByRole("heading", { name: "Escalation", exact: true });
    const strip = await nav.boundingBox();
    const box = await title.boundingBox();
    const { width } = page.viewportSize() ?? wide;
    // Not beneath the strip that stays.
    if (width < 1240) expect(box?.y).toBeGreaterThan((strip?.y ?? 0) + (strip?.height ?? 0));
    const needed = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(needed).toBeLessThanOrEqual(width);
  });

  it("colours are chosen at once, and kept", async () => {
    await page.getByRole("radio", { name: "Dark", exact: true }).press("Space");
    const theme = () => page.evaluate(() => document.documentElement.dataset.theme);
    expect(await theme()).toBe("dark");
    await page.reload();
    await page.locator(".member").first().waitFor();
    expect(await theme()).toBe("dark");
    expect(await page.getByRole("radio", { name: "Dark", exact: true }).isChecked()).toBe(true);
  });
});
