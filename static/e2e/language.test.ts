/** The page in the reader's language: chosen by the browser, or in the settings. */
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { violations } from "./axe";
import { close, finalAnswer, launch, open, patience, shapes, wide } from "./browser";
import { call } from "./figures";
import { OwnServer, pace } from "./own-server";
import { type Call, ScriptedModels } from "./scripted-models";

let browser: Browser;
let server: OwnServer;
beforeAll(async () => {
  [browser, server] = await Promise.all([launch(), OwnServer.start(pace.quick)]);
});
afterAll(() => Promise.all([browser.close(), server.close()]));

const heading = (page: Page, name: string) => page.getByRole("heading", { name, exact: true });

/** Words that every English page has and no German one, in what is shown and in what is read out. */
async function englishIn(page: Page): Promise<string[]> {
  const texts = await page.evaluate(() => {
    const found: string[] = [];
    const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walk.nextNode(); node; node = walk.nextNode()) {
      // Models write as they like, what the server says is marked, and nobody reads the rest.
      const foreign = ".markdown, code, pre, script, style, noscript, body [lang=en]";
      if (!node.parentElement?.closest(foreign)) found.push(node.textContent ?? "");
    }
    for (const name of ["aria-label", "title", "placeholder"]) {
      for (const one of document.body.querySelectorAll(`[${name}]`)) {
        found.push(one.getAttribute(name) ?? "");
      }
    }
    return found;
  });
  const english = /\b(the|and|of|with|your|is|are|not|from|for|to|this|all|each|by)\b/i;
  return texts.filter((text) => english.test(text));
}

describe.each([
  ["on a phone", shapes.phone],
  ["on a wide screen", { viewport: wide }],
])("a German browser %s", (_, shape) => {
  it("shows every page in German, and a run from the question to its answer", async () => {
    const watched = await open(browser, server, { ...shape, locale: "de-AT" });
    const { page } = watched;
    await page.goto("/");
    await heading(page, "Den Rat fragen").waitFor();
    expect(await page.locator("html").getAttribute("lang")).toBe("de");
    await page.locator(".seats").waitFor();
    expect(await englishIn(page)).toEqual([]);
    await page.getByLabel("Ihre Frage").fill("Warum ist der Himmel blau?");
    await page.getByRole("button", { name: "Fragen", exact: true }).click();
    await page.waitForURL(/\/c\//);
    const answer = page.getByRole("region", { name: "Schlussantwort" });
    await answer.getByRole("button", { name: "Antwort kopieren" }).waitFor({ timeout: patience });
    expect(await answer.getByRole("heading").first().textContent()).toMatch(/^(Schlussa|A)ntwort /);
    await page.getByRole("button", { name: /^Kosten und Zeit/ }).click();
    await page.locator("table.costs tbody tr").first().waitFor();
    for (const path of [null, "/settings", "/dashboard?days=all", "/admin", "/admin/budgets"]) {
      if (path) await page.goto(path, { waitUntil: "networkidle" });
      await expect.poll(() => page.getByText(/geladen …$/).count()).toBe(0);
      expect({ path, english: await englishIn(page) }).toEqual({ path, english: [] });
      expect(await violations(page)).toEqual([]);
      const tooWide = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
      expect(tooWide, path ?? "the run").toBeLessThanOrEqual(0);
    }
    await close(watched);
  });
});

/** Models that speak German. One refuses the key; none says of which kind a question or how grave an attack is. */
function inGerman({ model, purpose, prompt }: Call) {
  if (model === "m/gone") return { text: "", error: "Schlüssel unbekannt", status: 401 };
  if (prompt.startsWith("Classify")) return { text: "Das weiß ich nicht." };
  if (prompt.includes("devil's advocate")) return { text: "Das überzeugt nicht." };
  if (prompt.includes("critic of the draft")) return { text: "No major issues." };
  if (purpose === "review") return { text: "FINAL RANKING:\n1. Response A\n2. Response B" };
  if (purpose === "title") return { text: "Der Himmel" };
  return { text: purpose === "answer" ? "Streuung.\n\nCONFIDENCE: 3" : "Wegen der Streuung." };
}

describe("a German page", () => {
  let models: ScriptedModels;
  let scripted: OwnServer;
  beforeAll(async () => {
    models = await ScriptedModels.start(inGerman);
    scripted = await OwnServer.start(models.settings(["m/one", "m/two", "m/gone"]));
    const all = ["m/one", "m/two", "m/gone"];
    await call(scripted, "PUT", "/api/config", {
      routing_pools: { general: all },
      tier1_models: ["m/one", "m/gone"],
      tier2_models: ["m/two"],
    });
  });
  afterAll(() => Promise.all([scripted.close(), models.close()]));

  it.each([
    ["routing", { use_dynamic_routing: true }, "Ohne Modell entschieden: one nannte keine Art"],
    ["escalation", { use_escalation: true }, "die mittlere Konfidenz 3 liegt unter"],
  ])("tells a run with failures, %s and refinement in German", async (_, option, told) => {
    const { id } = await call(scripted, "POST", "/api/conversations", {});
    await call(scripted, "POST", `/api/conversations/${id}/message`, {
      content: "Warum ist der Himmel blau?",
      use_refinement: true,
      use_adversary: true,
      use_early_consensus: true,
      ...option,
    });
    const watched = await open(browser, scripted, { viewport: wide, locale: "de-DE" });
    const { page } = watched;
    await page.goto(`/c/${id}`);
    await heading(page, "Antwort von 2 der 3 Mitglieder").waitFor();
    // Everything that is folded.
    for (let round = 0; round < 4; round += 1) {
      await page.evaluate(() => {
        const folded =
          ".deliberation details:not([open]) > summary, .deliberation button[aria-expanded=false]";
        for (const one of document.querySelectorAll<HTMLElement>(folded)) {
          if (!one.hasAttribute("aria-haspopup")) one.click();
        }
      });
      await expect.poll(() => page.getByText(/geladen …$/).count()).toBe(0);
    }
    const text = await page.locator(".deliberation").innerText();
    expect(text).toContain(told);
    expect(text).toContain("gone hat nicht geantwortet: der Anbieter hat den Schlüssel");
    expect(await englishIn(page)).toEqual([]);
    // What a provider said, word for word, is all that is English.
    const english = page.locator(".deliberation [lang=en]:not(.failure-said)");
    expect(await english.allTextContents()).toEqual([]);
    await close(watched);
  });
});

it("is changed in the settings, by keyboard, and stays", async () => {
  const watched = await open(browser, server, { viewport: wide, locale: "en-GB" });
  const { page } = watched;
  await page.goto("/settings");
  await page.getByRole("radio", { name: "As the browser" }).focus();
  await page.keyboard.press("ArrowRight");
  // English, which it was, but by choice now; and the keys go on where they were.
  await expect
    .poll(() => page.evaluate(() => localStorage.getItem("user:local:language")))
    .toBe("en");
  await expect
    .poll(() => page.evaluate(() => document.activeElement?.closest("label")?.textContent))
    .toBe("English");
  await page.keyboard.press("ArrowRight");
  await heading(page, "Einstellungen").waitFor();
  await page.goto("/");
  await heading(page, "Den Rat fragen").waitFor();
  await page.goto("/settings");
  await page.getByText("Wie der Browser").click();
  await heading(page, "Settings").waitFor();
  await close(watched);
});

it("is English where the other language cannot be fetched, and says so", async () => {
  const watched = await open(browser, server, { viewport: wide, locale: "de-DE" });
  const { page, faults } = watched;
  await page.route(/\/assets\/de-.*\.js$/, (route) => route.abort());
  await page.goto("/");
  await heading(page, "Ask the council").waitFor();
  await page.getByText("Your language could not be loaded").waitFor();
  expect(await page.locator("html").getAttribute("lang")).toBe("en");
  // The request that was cut is what this is about.
  faults.splice(0, faults.length, ...faults.filter((fault) => !/ERR_FAILED .*\/de-/.test(fault)));
  await close(watched);
});

it("keeps what was typed, and a run that was begun, when the language changes", async () => {
  const slow = await OwnServer.start(pace.slow);
  const watched = await open(browser, slow, { viewport: wide, locale: "en-US" });
  const { page } = watched;
  await page.goto("/");
  await page.getByLabel("Your question").fill("Does it go on?");
  await page.getByRole("button", { name: "Ask", exact: true }).click();
  await page.waitForURL(/\/c\//);
  await page.locator(".answer-writing").first().waitFor({ timeout: patience });
  await page.getByLabel("Your question").fill("And then?");
  const at = page.url();
  await page.getByRole("link", { name: "Settings" }).click();
  await page.getByText("Deutsch").click();
  await heading(page, "Einstellungen").waitFor();
  await page.goto(at);
  // A draft comes back when the page knows whose it is.
  await expect.poll(() => page.getByLabel("Ihre Frage").inputValue()).toBe("And then?");
  await page.getByRole("button", { name: "Anhalten" }).click();
  await page.getByText("Angehalten.", { exact: true }).waitFor({ timeout: patience });
  expect(await finalAnswer(page).count()).toBe(0);
  await close(watched);
  await slow.close();
});
