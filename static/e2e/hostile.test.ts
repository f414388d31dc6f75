/** Whatever a model writes: nothing runs, nothing is fetched, nothing freezes, all can be read. */
import { EventEmitter, once } from "node:events";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  ask,
  close,
  finalAnswer,
  launch,
  open,
  patience,
  send,
  type Watched,
  waitForEnd,
} from "./browser";
import { attacks, bombs } from "./hostile-texts";
import { OwnServer } from "./own-server";
import { pulseOf, takePulse, unitOf } from "./pulse";
import { type Call, type Line, ScriptedModels } from "./scripted-models";

const members = ["a/first", "a/second", "b/third", "b/fourth"];

let browser: Browser;
let models: ScriptedModels;
let server: OwnServer;
let say: (call: Call) => Line = () => ({ text: "Nothing." });
beforeAll(async () => {
  models = await ScriptedModels.start((call) => say(call));
  [browser, server] = await Promise.all([launch(), OwnServer.start(models.settings(members))]);
});
afterAll(() => Promise.all([browser.close(), server.close(), models.close()]));

type Seen = Window & { councilFaults?: string[]; councilAlert?: () => void };

let watched: Watched;
let opened: string[];
beforeEach(async () => {
  watched = await open(browser, server);
  const { page, faults } = watched;
  opened = [];
  const context = page.context();
  context.on("page", (other) => opened.push(other.url()));
  context.on("request", (request) => {
    if (!request.url().startsWith(`${server.origin}/`)) faults.push(`request: ${request.url()}`);
  });
  page.on("dialog", (dialog) => {
    faults.push(`dialog: ${dialog.message()}`);
    dialog.dismiss().catch(() => undefined);
  });
  await page.addInitScript(() => {
    const seen: string[] = [];
    (window as Seen).councilFaults = seen;
    document.addEventListener("securitypolicyviolation", (event) =>
      seen.push(`policy: ${event.violatedDirective} ${event.blockedURI} ${event.sample}`),
    );
  });
  await takePulse(page);
});
afterEach(async () => {
  const { page, faults } = watched;
  faults.push(...(await page.evaluate(() => (window as Seen).councilFaults ?? [])));
  expect(opened).toEqual([]);
  expect(await whatIsWrong(page)).toEqual([]);
  await close(watched);
});

/** What must not be in a page, whatever was written. */
const whatIsWrong = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const wrong: string[] = [];
    const foreign =
      "script, iframe, frame, object, embed, form, style, link, meta, base, portal, template, video, audio, source, dialog, picture, img, svg, math, input:not([type=checkbox][disabled])";
    const handlers = "[onclick], [onerror], [onload], [onfocus], [onmouseover], [ontoggle]";
    for (const text of document.querySelectorAll(
      ".markdown, .question, .failure, h1, .entry, .tag",
    )) {
      for (const element of text.querySelectorAll(
        `${foreign}, ${handlers}, [style], [id], [name], a`,
      )) {
        const set = element.closest(".katex");
        const own = element.closest("button, form.rename, .icon") ?? element.matches(".md-far");
        const footnote = /^user-content-\w+-(fn|footnote-label)/.test(element.id);
        const name = element.outerHTML.slice(0, 200);
        if (element.matches("a")) {
          const href = element.getAttribute("href") ?? "";
          const inside = /^#user-content-\w+-fn/.test(href) || text.matches(".entry");
          if (!inside && !/^(https?:\/\/|mailto:)/.test(href)) wrong.push(`link: ${name}`);
          if (!inside && element.getAttribute("rel") !== "noopener noreferrer")
            wrong.push(`rel: ${name}`);
        } else if (!set && !own && !footnote) wrong.push(name);
        if (
          set &&
          element.matches("script, iframe, img, a, [id], [name], image, foreignObject, use")
        ) {
          wrong.push(`formula: ${name}`);
        }
      }
    }
    const main = document.getElementById("main");
    if (!(main instanceof HTMLElement) || main.tagName !== "MAIN") wrong.push("#main is another");
    if (document.querySelectorAll("#root").length !== 1) wrong.push("#root is not one");
    if (!/native code/.test(String(document.getElementById))) wrong.push("document is clobbered");
    return wrong;
  });

const ranking = "\n\nFINAL RANKING:\n1. Response A\n2. Response B\n3. Response C\n4. Response D";

/** Each member says one of these texts; the reviews and the chairman say some of the rest. */
function speak(texts: readonly string[], pace: Partial<Line>) {
  say = ({ model, purpose }) => {
    const text = texts[members.indexOf(model) % texts.length] ?? "";
    if (purpose === "title") return { text: texts[0]?.slice(0, 60) ?? "" };
    if (purpose === "review") return { text: `${text.slice(0, 20_000)}${ranking}`, ...pace };
    return { text, reasoning: text.slice(0, 20_000), ...pace };
  };
}

/** Opens whatever is closed, so that all of it was on the page. */
const openAll = (page: Page) =>
  page.evaluate(async () => {
    for (const closed of document.querySelectorAll<HTMLElement>("details:not([open]) > summary")) {
      if (/Reasoning|Full review/.test(closed.textContent ?? "")) closed.click();
    }
    for (const more of document.querySelectorAll<HTMLElement>("[aria-label^='Read in full']")) {
      more.click();
    }
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  });

const groups = (texts: Record<string, string>) => {
  const names = Object.keys(texts);
  const starts = names.map((_, at) => at).filter((at) => at % members.length === 0);
  return starts.map((at) => names.slice(at, at + members.length).join(", "));
};

describe("texts that mean harm", () => {
  it.each(groups(attacks))("are only text, while they are written and later: %s", async (group) => {
    const { page } = watched;
    const names = group.split(", ");
    const ends = names.map((name) => `This is the end of ${name}.`);
    const texts = names.map((name, at) => `${attacks[name]}\n\n${ends[at]}`);
    const looks = new EventEmitter();
    // Cut everywhere: most frames show something unfinished. Each text waits to be looked at now
    // and then, so that this is seen however slow the machine is.
    const before = (at: number) => (at < 80 && at % 10 === 9 ? once(looks, "look") : undefined);
    speak(texts, { piece: 23, everyMs: 4, before });
    await ask(page, `Tell me about ${group}: ${texts[0]?.slice(0, 500)}`);
    while (!(await finalAnswer(page).getByRole("button", { name: "Copy answer" }).isVisible())) {
      expect(await whatIsWrong(page)).toEqual([]);
      looks.emit("look");
      await page.waitForTimeout(50);
    }
    await waitForEnd(page);
    await openAll(page);
    expect(await whatIsWrong(page)).toEqual([]);
    await page.reload();
    await finalAnswer(page).waitFor();
    await openAll(page);
    // All of it, also what is too far down to be drawn.
    const text = await page.locator("main").textContent();
    for (const end of ends) expect(text).toContain(end);
  });
});

it("keeps names, titles, tags, prompts and errors to themselves as well", async () => {
  const { page } = watched;
  const script = "<img src=https://evil.example/ onerror=alert(1)>";
  const turned = "\u202Eelpmaxe.knab <b>x</b> ![i](https://evil.example/i)";
  say = ({ model, purpose }) =>
    model === members[1]
      ? { text: "", error: `${script} ${turned}` }
      : { text: `${purpose} ${script}` };
  await page.goto("/");
  const aliases = ["<script>alert(1)</script>", '"><svg onload=alert(1)>', "__proto__", "<b>"];
  const council_models = members.map((model, at) => ({
    model,
    alias: aliases[at],
    system_prompt: `${script} ${turned}`,
  }));
  const set = await send(page, "PUT", "/api/config", { council_models });
  expect(set.status(), await set.text()).toBe(200);
  await ask(page, `${script} ${turned} {{constructor}} \${alert(1)}`);
  await waitForEnd(page);
  const path = new URL(page.url()).pathname;
  const conversation = `/api${path.replace("/c/", "/conversations/")}`;
  const title = await page.request.fetch(conversation, {
    method: "PATCH",
    data: { title: `elpmaxe <b>knab</b> ${script}` },
    headers: { origin: server.origin },
  });
  expect(title.ok()).toBe(true);
  const tags = await send(page, "PUT", `${conversation}/tags`, {
    tags: [script.slice(0, 30), "<u>gnat</u>"],
  });
  expect(tags.status()).toBeLessThan(500);
  for (const view of [path, "/settings", "/"]) {
    await page.goto(view);
    await page.getByRole("complementary").getByText("elpmaxe").first().waitFor();
    await page.waitForLoadState("networkidle");
    expect(await whatIsWrong(page)).toEqual([]);
  }
  await send(page, "POST", "/api/config/reset", {});
});

/**
 * The longest time that the page may go without answering, in units of `unitOf`. An idle machine does a unit in
 * some 15 ms; on a busy one the page was measured to need up to a sixth of this. What freezes a
 * page is not a matter of factors: it is work that grows with the square of a text.
 */
const longestPause = 240;

describe("texts that are too much", { timeout: 240_000 }, () => {
  it.each(groups(bombs))("are shown without freezing: %s", async (group) => {
    const { page } = watched;
    const texts = group.split(", ").map((name) => bombs[name] ?? "");
    await page.goto("/");
    const before = await unitOf(page);
    const longest = Math.max(...texts.map((text) => text.length));
    speak(texts, { piece: Math.ceil(longest / 60), everyMs: 40 });
    await ask(page, "Tell me everything.");
    await pulseOf(page);
    // Each of these texts is drawn some sixty times over while it is written: what is measured is the pauses.
    await waitForEnd(page, 2 * patience);
    const live = await pulseOf(page);
    await page.reload();
    await finalAnswer(page).waitFor();
    await page.getByLabel("Your question").fill("Are you there?");
    const stored = await pulseOf(page);
    await openAll(page);
    await page.waitForTimeout(500);
    const whole = await pulseOf(page);
    const unit = Math.max(before, await unitOf(page));
    const pauses = [live, stored, whole].map(({ tasks }) => Math.max(0, ...tasks) / unit);
    console.log(
      group,
      "unit",
      unit.toFixed(1),
      "ms; longest pauses",
      pauses.map((p) => p.toFixed(1)).join(" "),
    );
    expect(Math.max(...pauses)).toBeLessThan(longestPause);
    const shown = (await finalAnswer(page).locator(".final-text").textContent()) ?? "";
    expect(shown.length).toBeGreaterThan(100);
    await page.getByRole("button", { name: "Ask", exact: true }).waitFor();
  });
});
