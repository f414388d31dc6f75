/** A member that says nothing: its card counts the seconds, and the reader goes on without it. */
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { violations } from "./axe";
import { ask, bothShapes, close, launch, open, patience, waitForEnd } from "./browser";
import { OwnServer } from "./own-server";
import { ScriptedModels } from "./scripted-models";

const silent = "c/silent";

let browser: Browser;
let models: ScriptedModels;
let server: OwnServer;
beforeAll(async () => {
  models = await ScriptedModels.start(({ model, purpose }) => {
    if (purpose === "answer" && model === silent)
      return { text: "Never said.", before: () => new Promise(() => undefined) };
    if (purpose === "review") return { text: "FINAL RANKING:\n1. Response A\n2. Response B" };
    return { text: purpose === "title" ? "Names of lighthouses" : `${model} says: Polaris.` };
  });
  [browser, server] = await Promise.all([
    launch(),
    OwnServer.start(models.settings(["a/one", "b/two", silent])),
  ]);
});
afterAll(async () => {
  await Promise.all([browser.close(), server.close()]);
  await models.close();
});

/** Its card: in a tab of its own on a narrow screen. */
async function cardOf(page: Page, member: string) {
  const tab = page.getByRole("tab", { name: new RegExp(member.split("/")[1] ?? member) });
  const card = page.getByRole("article", { name: `Answer of ${member}` });
  await card.or(tab).first().waitFor({ timeout: patience });
  if (await tab.isVisible()) await tab.click();
  return card;
}

describe.each(bothShapes)("on %s", (_, shape) => {
  it("a silent member is gone on without, and abstains from the reviews", async () => {
    const watched = await open(browser, server, shape);
    const { page } = watched;
    await ask(page, "What is a good name for a lighthouse?");
    const card = await cardOf(page, silent);
    const go = card.getByRole("button", { name: "Go on without it: silent" });
    await go.waitFor({ timeout: patience });
    // The server's clock goes on while the page is loaded anew.
    const seconds = async () =>
      Number.parseInt((await card.getByRole("timer").textContent()) ?? "", 10);
    const before = await seconds();
    expect(before).toBeGreaterThanOrEqual(5);
    await page.reload();
    await cardOf(page, silent);
    await card.getByRole("timer").waitFor();
    expect(await seconds()).toBeGreaterThanOrEqual(before);
    expect(await violations(page)).toEqual([]);

    await go.click();
    await waitForEnd(page);
    await cardOf(page, silent);
    await card.getByText("The council went on without it, as was asked for.").waitFor();
    expect(await card.getByRole("timer").count()).toBe(0);
    const abstained = page.getByRole("listitem").filter({ hasText: "silent abstained: failed" });
    await abstained.waitFor();
    expect(await violations(page)).toEqual([]);
    await close(watched);
  });
});
