/** Errors as people read them: a sentence and what to do, the rest for whoever opens it. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { violations } from "./axe";
import { ask, bothShapes, close, finalAnswer, launch, open, patience } from "./browser";
import { OwnServer } from "./own-server";
import { type Call, type Line, ScriptedModels } from "./scripted-models";

const members = ["a/first", "a/second", "b/third"];
const said = "No auth credentials found";
const refused: Line = { text: "", status: 401, error: JSON.stringify({ error: said, code: 401 }) };

let browser: Browser;
let models: ScriptedModels;
let server: OwnServer;
let say: (call: Call) => Line = () => refused;
beforeAll(async () => {
  models = await ScriptedModels.start((call) => say(call));
  [browser, server] = await Promise.all([launch(), OwnServer.start(models.settings(members))]);
});
afterAll(() => Promise.all([browser.close(), server.close(), models.close()]));

describe.each(bothShapes)("on %s", (_, shape) => {
  it("a refused key is said once for the run, without JSON, and the details open", async () => {
    say = () => refused;
    const watched = await open(browser, server, shape);
    const { page } = watched;
    await ask(page, "Who holds the key?");
    const notice = page.locator(".notice-bad");
    await notice.waitFor({ timeout: patience });
    expect(await notice.locator("strong").textContent()).toBe(
      "No model answered: the provider refused the server's key.",
    );
    expect(await notice.textContent()).toContain("Whoever runs this server has to check the key");
    const card = page.locator(".answer .failure").first();
    await card.getByText("The provider refused the server’s key").waitFor();
    const main = page.locator("#main");
    expect(await main.innerText()).not.toMatch(/[{}]|HTTP/);
    expect(await violations(page)).toEqual([]);
    await card.getByText("What the server noted").click();
    const noted = await card.locator(".failure-said").innerText();
    expect(noted.split(said).length - 1).toBe(1);
    expect(noted).not.toMatch(/[{}]/);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(
      shape.viewport.width,
    );
    await close(watched);
  });

  it("a fault of one member is headed by its kind, and the answer names it in the reader's language", async () => {
    say = ({ model, purpose }) =>
      model === "a/second"
        ? { text: "", status: 418, error: "<b>teapot</b>" }
        : { text: purpose === "review" ? "FINAL RANKING:\n1. Response A\n2. Response B" : "Yes." };
    const watched = await open(browser, server, { ...shape, locale: "de-DE" });
    const { page } = watched;
    await page.goto("/");
    await page.getByLabel("Ihre Frage").fill("Ist das eine Teekanne?");
    await page.getByRole("button", { name: "Fragen", exact: true }).click();
    const answer = page.getByRole("region", { name: "Schlussantwort" });
    await answer
      .getByText("second hat nicht geantwortet: der Anbieter hat die Anfrage abgelehnt.")
      .waitFor({
        timeout: patience,
      });
    const tab = page.getByRole("tab", { name: /second/ });
    if (shape === bothShapes[1][1]) await tab.click();
    await page
      .locator(".answer .failure strong")
      .getByText("Der Anbieter hat die Anfrage abgelehnt")
      .waitFor();
    await close(watched);
  });
});

it("a chairman's failure is said in the notes of the answer, and nothing stands as an answer", async () => {
  say = ({ purpose }) =>
    purpose === "synthesis" || purpose === "review"
      ? { text: "", status: 402, error: "no credit" }
      : { text: "Yes." };
  const watched = await open(browser, server);
  const { page } = watched;
  await ask(page, "Is there credit?");
  const answer = finalAnswer(page);
  await answer.getByText("No final answer: the chairman and its stand-ins failed").waitFor({
    timeout: patience,
  });
  expect(await answer.innerText()).not.toContain("Unable to generate");
  await answer.getByText("Ask again in a while.").waitFor();
  expect(await violations(page)).toEqual([]);
  await close(watched);
});
