/** Every option of a run, switched on at the composer and read where it shows. */
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { violations } from "./axe";
import {
  bothShapes,
  close,
  finalAnswer,
  launch,
  open,
  patience,
  send,
  type Watched,
  waitForEnd,
  wide,
} from "./browser";
import { OwnServer } from "./own-server";
import { PricedModels } from "./priced-models";

let browser: Browser;
let server: OwnServer;
let models: PricedModels;
/** Its critics find a fault each time; the simulated ones only mostly. */
let critical: OwnServer;
beforeAll(async () => {
  models = await PricedModels.start();
  [browser, server, critical] = await Promise.all([
    launch(),
    OwnServer.start(),
    OwnServer.start(models.settings),
  ]);
});
afterAll(() => Promise.all([browser.close(), server.close(), critical.close(), models.close()]));

const put = (page: Page, change: object) => send(page, "PUT", "/api/config", change);
const reset = (page: Page) => send(page, "POST", "/api/config/reset", {});

/** Switches options on, or off again, and leaves the composer as it was found. */
async function choose(page: Page, names: readonly string[], on = true) {
  const options = page.getByRole("button", { name: /^Options/ });
  await options.click();
  for (const name of names) {
    const option = page.getByRole("button", { name, exact: true });
    await option.click();
    expect(await option.getAttribute("aria-pressed")).toBe(String(on));
  }
  const done = page.getByRole("button", { name: "Done" });
  await ((await done.isVisible()) ? done.click() : options.click());
}

async function askNow(page: Page, question: string) {
  await page.getByLabel("Your question").fill(question);
  await page.getByRole("button", { name: "Ask", exact: true }).click();
  await page.waitForURL(/\/c\//);
  await waitForEnd(page);
}

describe.each(bothShapes)("on %s", (_, shape) => {
  let watched: Watched;
  let page: Page;
  beforeEach(async () => {
    watched = await open(browser, server, shape);
    page = watched.page;
  });
  afterEach(() => close(watched));

  it("routing says what kind of question it is, and who answers it", async () => {
    await page.goto("/");
    await choose(page, ["Routing"]);
    await askNow(page, "Write a Rust function that reverses a linked list.");
    await page.getByText(/^coding, \d+% sure$/).waitFor();
    await page
      .getByText(/^.*Routed to /)
      .first()
      .waitFor();
    expect(await violations(page)).toEqual([]);
    await page.reload();
    await page.getByText(/^coding, \d+% sure$/).waitFor();
  });

  it("escalation says why the second tier was asked, and who belongs to it", async () => {
    await page.goto("/");
    await put(page, { escalation_confidence_threshold: 10 });
    try {
      await page.reload();
      await choose(page, ["Escalation"]);
      await askNow(page, "Will it rain tomorrow?");
      await page.getByText("escalated", { exact: true }).waitFor();
      await page.getByText("What was measured").click();
      await page.getByRole("row", { name: /^Average confidence/ }).waitFor();
      await page.getByText("tier 2").first().waitFor();
      expect(await violations(page)).toEqual([]);
      await page.reload();
      await page.getByText("escalated", { exact: true }).waitFor();
    } finally {
      await reset(page);
    }
  });

  it("several chairmen show their drafts, the chosen one and why", async () => {
    await page.goto("/");
    await choose(page, ["Several chairmen"]);
    await askNow(page, "Should a school teach typing?");
    await page.getByRole("button", { name: /^Several chairmen .* of \d drafts/ }).click();
    const drafts = page.getByRole("article", { name: /^Draft [A-C] by / });
    await drafts.first().waitFor();
    expect(await drafts.count()).toBe("isMobile" in shape ? 1 : 3);
    await page.getByText("chosen", { exact: true }).first().waitFor();
    await page.getByText("Everything the chairman wrote of the drafts").click();
    expect(await violations(page)).toEqual([]);
    await page.reload();
    await page.getByRole("button", { name: /^Several chairmen/ }).waitFor();
  });

  it("early consensus says whether the council agreed, with the figures", async () => {
    await page.goto("/");
    await choose(page, ["Early consensus"]);
    await askNow(page, "Is water wet?");
    // The simulated reviewers decide for themselves: either outcome is reported.
    await page.getByText(/^(no )?early consensus$/).waitFor();
    await page.getByText(/^(Why it counts as agreed|What was missing)$/).click();
    await page.getByText("Average confidence", { exact: true }).waitFor();
    expect(await violations(page)).toEqual([]);
  });

  it("weights show what each ballot counted", async () => {
    await page.goto("/");
    await askNow(page, "Is glass a liquid?");
    await page.getByText(/^(What each ballot weighed|Weights: )/).click();
    await page.getByRole("group", { name: "Weights of the ballots" }).waitFor();
    expect(await violations(page)).toEqual([]);
  });

  it("the process log is kept beside the run, and filtered", async () => {
    await page.goto("/");
    await page.getByRole("button", { name: /^Options/ }).click();
    await page.getByText("Everything", { exact: true }).click();
    const done = page.getByRole("button", { name: "Done" });
    if (await done.isVisible()) await done.click();
    await askNow(page, "What is a quorum?");
    await page.getByRole("button", { name: /^Process log/ }).click();
    const entries = page.getByRole("list", { name: "Entries" }).getByRole("listitem");
    // The sentence about the costs is among the last of a run.
    await entries.filter({ hasText: /\d+ calls \([\d,]+ tokens/ }).waitFor();
    const all = await entries.count();
    expect(all).toBeGreaterThan(10);
    expect(await violations(page)).toEqual([]);
    await page.getByLabel("How much is shown").selectOption("1");
    expect(await entries.count()).toBeLessThan(all);
    await page.getByRole("button", { name: "Close the process log" }).last().click();
    await expect.poll(() => entries.count()).toBe(0);
    await page.reload();
    await page.getByRole("button", { name: /^Process log/ }).click();
    await expect.poll(() => entries.count()).toBe(all);
  });

  it("says what one thinks of an answer, and takes it back", async () => {
    await page.goto("/");
    await askNow(page, "Is tea better than coffee?");
    const good = page.getByRole("button", { name: "Good answer" });
    await good.click();
    await expect.poll(() => good.getAttribute("aria-pressed")).toBe("true");
    await page.getByLabel("Which answer was the best?").selectOption("council");
    expect(await violations(page)).toEqual([]);
    await page.reload();
    await expect.poll(() => good.getAttribute("aria-pressed")).toBe("true");
    expect(await page.getByLabel("Which answer was the best?").inputValue()).toBe("council");
    await good.click();
    await expect.poll(() => good.getAttribute("aria-pressed")).toBe("false");
  });

  it("what was wrong is said by keyboard, changed and removed, and a thumb up clears it", async () => {
    await page.goto("/");
    await askNow(page, "Is rain better than snow?");
    const bad = page.getByRole("button", { name: "Bad answer" });
    const field = page.getByRole("textbox", { name: "What was wrong?" });
    const focused = () => page.evaluate(() => document.activeElement?.textContent);
    expect(await field.count()).toBe(0);
    await bad.press("Enter");
    await field.fill("It forgot the hail.");
    expect(await violations(page)).toEqual([]);
    await field.press("Shift+Enter");
    await field.pressSequentially("And the sleet.");
    await field.press("Enter");
    await page.getByText("It forgot the hail.\nAnd the sleet.").waitFor();
    await expect.poll(focused).toBe("Change");
    expect(await violations(page)).toEqual([]);
    await page.reload();
    await page.getByText("It forgot the hail.").waitFor();
    const { width } = page.viewportSize() ?? { width: 0 };
    const needed = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(needed).toBeLessThanOrEqual(width);

    await page.getByRole("button", { name: "Change the comment" }).press("Enter");
    expect(await field.inputValue()).toBe("It forgot the hail.\nAnd the sleet.");
    await field.fill("Never mind.");
    await field.press("Escape");
    await page.getByText("It forgot the hail.").waitFor();
    await page.getByRole("button", { name: "Change the comment" }).press("Enter");
    await field.fill("It forgot the fog.");
    await page.getByRole("button", { name: "Save", exact: true }).press("Enter");
    await page.getByText("It forgot the fog.").waitFor();
    await page.getByRole("button", { name: "Remove the comment" }).press("Enter");
    await expect.poll(() => field.inputValue()).toBe("");
    await field.fill("Too short.");
    await field.press("Enter");
    await page.getByText("Too short.").waitFor();
    // Shown as chosen at once, and stored a little later, one after the other.
    const stored = (opinion: string) =>
      page.waitForResponse((response) => response.request().postData()?.includes(opinion) ?? false);
    const good = stored('"up"');
    await page.getByRole("button", { name: "Good answer" }).click();
    await expect.poll(() => page.getByText("Too short.").count()).toBe(0);
    await good;
    const again = stored('"down"');
    await bad.click();
    await again;
    await page.reload();
    await expect.poll(() => field.inputValue()).toBe("");
  });

  it("what excludes another option, or needs models, is said where it is chosen", async () => {
    await page.goto("/");
    await put(page, { multi_chairman_models: [] });
    try {
      await page.reload();
      await choose(page, ["Routing"]);
      await page.getByRole("button", { name: /^Options/ }).click();
      const escalation = page.getByRole("button", { name: "Escalation", exact: true });
      expect(await escalation.getAttribute("aria-disabled")).toBe("true");
      await page.getByText("Routing chooses the members already.").waitFor();
      expect(await violations(page)).toEqual([]);
      await page.getByRole("link", { name: "Set them for Several chairmen" }).click();
      await page.waitForURL(/\/settings#chairmen$/);
      await page.getByRole("heading", { name: "Several chairmen" }).waitFor({ timeout: patience });
    } finally {
      await reset(page);
    }
  });

  it("options stay chosen for the conversation, and can be taken back", async () => {
    await page.goto("/");
    await choose(page, ["Step by step"]);
    await page.reload();
    await page.getByRole("button", { name: "Options (1)" }).waitFor();
    await askNow(page, "Why is the sky blue?");
    await page.getByLabel("Your question").click();
    await choose(page, ["Step by step"], false);
    await page.getByRole("button", { name: "Options", exact: true }).waitFor();
    await page.goto("/");
    await page.getByRole("button", { name: "Options", exact: true }).waitFor();
  });
});

it.each(bothShapes)(
  "on %s refinement and the devil's advocate show who found what, and what was changed",
  async (_, shape) => {
    const watched = await open(browser, critical, shape);
    const { page } = watched;
    await page.goto("/");
    await choose(page, ["Refinement", "Devil’s advocate"]);
    await askNow(page, "Should we move the office to the coast?");
    await page.getByRole("button", { name: /^Refinement/ }).click();
    const round = page.getByRole("region", { name: "Round 1" });
    await round.getByText(/critics named faults/).waitFor();
    await round.locator(".critique summary").first().click();
    await round.locator(".critique .markdown").first().waitFor();
    await round.getByText("What was changed").click();
    await round.locator(".diff-sum").waitFor();
    await page.getByRole("button", { name: /^Devil’s advocate/ }).click();
    await page.getByRole("region", { name: "The attack" }).locator(".markdown").first().waitFor();
    await page.getByRole("button", { name: /^Cost and time/ }).click();
    await page.getByRole("rowheader", { name: "Refinement" }).waitFor();
    expect(await violations(page)).toEqual([]);
    const answer = await finalAnswer(page).locator(".final-text").textContent();
    expect(answer).toContain("a fourth person, or ten times the load");
    await page.reload();
    await page.getByRole("button", { name: /^Refinement/ }).waitFor();
    expect(await finalAnswer(page).locator(".final-text").textContent()).toBe(answer);
    await close(watched);
  },
);

it("a preset is saved, asked with once, applied, and deleted", async () => {
  const watched = await open(browser, server, { viewport: wide });
  const { page } = watched;
  try {
    await page.goto("/settings");
    await page.locator("#default-options").getByRole("button", { name: "Step by step" }).click();
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("The council was saved.").waitFor();
    await page.getByLabel("Save the current council as").fill("Careful");
    await page.getByRole("button", { name: "Save preset" }).click();
    await page.getByText("“Careful” was saved.").waitFor();
    await reset(page);

    await page.goto("/");
    await page.getByRole("button", { name: "Options", exact: true }).waitFor();
    await page.getByLabel("Council to ask").selectOption({ label: "Careful" });
    await page.getByRole("button", { name: "Options (1)" }).waitFor();
    await askNow(page, "How do tides work?");
    await page.getByText("Thinking", { exact: true }).first().waitFor();

    await page.goto("/settings");
    await page.getByRole("button", { name: "Apply Careful" }).click();
    await page.getByText("“Careful” is your council now.").waitFor();
    const isChosen = () =>
      page
        .locator("#default-options")
        .getByRole("button", { name: "Step by step" })
        .getAttribute("aria-pressed");
    await expect.poll(isChosen).toBe("true");
    await page.getByRole("button", { name: "Undo" }).press("Enter");
    await expect.poll(isChosen).toBe("false");
    await page.getByRole("button", { name: "Delete Careful" }).click();
    await page
      .getByRole("dialog", { name: "Delete “Careful”?" })
      .getByRole("button", { name: "Delete" })
      .click();
    await page.getByText("There are no presets yet.").waitFor();
  } finally {
    await reset(page);
  }
  await close(watched);
});

it("what is chosen is told apart where the system chooses the colours", async () => {
  const watched = await open(browser, server, { viewport: wide, forcedColors: "active" });
  const { page } = watched;
  await page.goto("/");
  await page.getByRole("button", { name: "Options", exact: true }).click();
  const routing = page.getByRole("button", { name: "Routing", exact: true });
  const ground = () => routing.evaluate((element) => getComputedStyle(element).backgroundColor);
  const before = await ground();
  await routing.click();
  await expect.poll(() => routing.getAttribute("aria-pressed")).toBe("true");
  await expect.poll(ground).not.toBe(before);
  await page.getByLabel("Your question").focus();
  const outline = () =>
    page.locator(".composer-box").evaluate((element) => getComputedStyle(element).outlineStyle);
  await expect.poll(outline).toBe("solid");
  await close(watched);
});
