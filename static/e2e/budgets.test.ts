/** Money: what a question will cost, what it did cost, and the budgets, with models that have prices. */
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
  type Watched,
  waitForEnd,
} from "./browser";
import { OwnServer } from "./own-server";
import { PricedModels } from "./priced-models";

const question = "Should a team of three write its next service in Rust or in Go?";

let browser: Browser;
let models: PricedModels;
let server: OwnServer;
beforeAll(async () => {
  models = await PricedModels.start();
  [browser, server] = await Promise.all([launch(), OwnServer.start(models.settings)]);
});
afterAll(async () => {
  await Promise.all([browser.close(), server.close()]);
  await models.close();
});

const cap = (page: Page, caps: object) => send(page, "PUT", "/api/budget", caps);
const free = { per_run_usd: null, per_day_usd: null, per_month_usd: null };

/** The refusal that a test brings about is an error to the browser's console. */
function forgiveRefusal({ faults }: Watched) {
  const kept = faults.filter((fault) => !/status of (402|422) .*\/api\//.test(fault));
  faults.splice(0, faults.length, ...kept);
}

/** What a cell of dollars says, as a number. */
const dollars = (text: string | null) => Number(text?.replace(/[^\d.]/g, "") || Number.NaN);

/** Half of the last digit that is shown: how far a shown sum may be from the real one. */
const shownTo = (usd: number) => (usd < 0.1 ? 0.000_05 : 0.005);

interface Usage {
  rows: { name: string; calls: number; cost_usd: number | null; unpriced_calls: number }[];
}
async function ledger(page: Page) {
  const response = await page.request.get("/api/admin/usage?by=model");
  const { rows } = (await response.json()) as Usage;
  const sum = (of: (row: Usage["rows"][number]) => number) =>
    rows.reduce((all, row) => all + of(row), 0);
  return {
    usd: sum((row) => row.cost_usd ?? 0),
    calls: sum((row) => row.calls),
    unpriced: sum((row) => row.unpriced_calls),
  };
}

describe.each(bothShapes)("on %s", (_, shape) => {
  let watched: Watched;
  let page: Page;
  beforeEach(async () => {
    models.calm();
    watched = await open(browser, server, shape);
    page = watched.page;
    await page.goto("/");
    await cap(page, free);
  });
  afterEach(() => close(watched));

  it("a question's rough cost stands beside the button before it is sent, by stage on a press", async () => {
    await page.getByLabel("Your question").fill(question);
    const estimate = page.getByRole("button", { name: /^about \$0\.\d+ · 10 calls$/ });
    await estimate.waitFor();
    const before = await estimate.textContent();
    await estimate.click();
    const panel = page.getByRole("region", { name: "Estimate" });
    expect(await panel.getByRole("row", { name: /^Reviews 4 / }).count()).toBe(1);
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press("Escape");
    expect(await panel.count()).toBe(0);

    // An option that costs calls changes it, without a word more.
    await page.getByRole("button", { name: /^Options/ }).click();
    await page.getByRole("button", { name: "Refinement", exact: true }).click();
    const done = page.getByRole("button", { name: "Done" });
    if (await done.isVisible()) await done.click();
    const dearer = page.getByRole("button", { name: /^about \$0\.\d+ · 20 calls$/ });
    await dearer.waitFor();
    expect(dollars((await dearer.textContent())?.split("·")[0] ?? "")).toBeGreaterThan(
      dollars(before?.split("·")[0] ?? ""),
    );
    // Nothing was made for it.
    const made = await page.request.get("/api/conversations");
    expect(
      ((await made.json()) as { message_count: number }[]).map((one) => one.message_count),
    ).not.toContain(0);
    await page.getByLabel("Your question").fill("");
    await expect.poll(() => page.locator(".estimate").count()).toBe(0);
  });

  it("a budget that would be exceeded is said before sending, and the refusal keeps the text", async () => {
    await cap(page, { per_day_usd: 0.0001 });
    await page.getByLabel("Your question").fill(question);
    const notice = page.getByRole("status").filter({ hasText: "Over budget." });
    await notice.waitFor();
    expect(await notice.textContent()).toMatch(
      /would cost about \$0\.\d+\. .*The cap you have set yourself for today: (\$.* of|all of) \$0\.0001/s,
    );
    expect(await violations(page)).toEqual([]);
    await page.getByRole("button", { name: "Ask", exact: true }).click();
    const refusal = page.getByRole("alert").filter({ hasText: "Not sent." });
    await refusal.waitFor();
    expect(await refusal.textContent()).toContain("The cap you have set yourself for today");
    await expect.poll(() => notice.count()).toBe(0);
    expect(await page.getByLabel("Your question").inputValue()).toBe(question);
    // Nothing was begun by it, neither here nor at the server.
    expect(new URL(page.url()).pathname).toBe("/");
    const list = await page.request.get("/api/conversations");
    expect(
      ((await list.json()) as { message_count: number }[]).map((one) => one.message_count),
    ).not.toContain(0);
    expect(await violations(page)).toEqual([]);
    forgiveRefusal(watched);
  });

  it("a budget that is nearly used up is said quietly before, and with the answer", async () => {
    const estimated = await send(page, "POST", "/api/estimate", { content: question });
    const { cost_usd: usd } = (await estimated.json()) as { cost_usd: number };
    await cap(page, { per_run_usd: usd * 1.1 });
    await page.getByLabel("Your question").fill(question);
    await page
      .getByText(/^The cap you have set yourself for one question: with this question about \$/)
      .waitFor();
    await page.getByRole("button", { name: "Ask", exact: true }).click();
    await waitForEnd(page);
    await page.getByText("A budget was nearly used up at this point.").waitFor();
    expect(await violations(page)).toEqual([]);
    await page.reload();
    await page.getByText("A budget was nearly used up at this point.").waitFor();
  });

  it("models without a price are named, and their calls are not called free", async () => {
    await send(page, "PUT", "/api/config", {
      council_models: [{ model: "acme/aurora" }, { model: "birch/unpriced" }],
    });
    try {
      await page.reload();
      await page.getByLabel("Your question").fill(question);
      const estimate = page.getByRole("button", { name: /^about \$0\.\d+ \+ unknown prices · / });
      await estimate.click();
      await page.getByText("No price is known for unpriced").waitFor();
      expect(await violations(page)).toEqual([]);
      await page.getByRole("button", { name: "Ask", exact: true }).click();
      await waitForEnd(page);
      await page.getByRole("button", { name: /^Cost and time/ }).click();
      await page.getByText("+ 2 calls of unknown price, not included.").waitFor();
    } finally {
      await send(page, "POST", "/api/config/reset", {});
    }
  });

  it("settings show the budgets, and set caps with the server's word at the field", async () => {
    await ask(page, question);
    await waitForEnd(page);
    await page.goto("/settings#budgets");
    const budgets = page.getByRole("region", { name: "Budgets" });
    await budgets.getByText("No budget applies to you.").waitFor();
    await budgets.getByLabel("For a day").fill("-1");
    await budgets.getByRole("button", { name: "Save caps" }).click();
    await budgets.getByText("From 0 to 10,000,000.").waitFor();
    expect(await violations(page)).toEqual([]);
    // A thousand to one reader, one dollar to another: nothing is sent.
    await budgets.getByLabel("For a day").fill("1.000");
    await budgets.getByRole("button", { name: "Save caps" }).click();
    await budgets.getByText(/It is not clear which number this is/).waitFor();
    await budgets.getByLabel("For a day").fill("5");
    await budgets.getByRole("button", { name: "Save caps" }).click();
    const figures = budgets.getByText(
      /^The cap you have set yourself for today: \$0\.\d+ of \$5\.00 spent/,
    );
    await figures.waitFor();
    expect(await budgets.getByText("It resets on").count()).toBe(1);
    expect(await violations(page)).toEqual([]);
    await page.reload();
    expect(await budgets.getByLabel("For a day").inputValue()).toBe("5");
    await budgets.getByLabel("For a day").fill("");
    await budgets.getByRole("button", { name: "Save caps" }).click();
    await budgets.getByText("No budget applies to you.").waitFor();
    forgiveRefusal(watched);
  });

  it("what the page says a run cost is the sum of the ledger, by stage and in all, with every option on", async () => {
    Object.assign(models.mood, { confidence: 4, severity: "major" });
    const before = await ledger(page);
    const reportedBefore = models.reported.length;
    await page.getByRole("button", { name: /^Options/ }).click();
    for (const name of [
      "Step by step",
      "Escalation",
      "Early consensus",
      "Several chairmen",
      "Refinement",
      "Devil’s advocate",
    ]) {
      await page.getByRole("button", { name, exact: true }).click();
    }
    const done = page.getByRole("button", { name: "Done" });
    if (await done.isVisible()) await done.click();
    await page.getByLabel("Your question").fill(question);
    await page.getByRole("button", { name: "Ask", exact: true }).click();
    await page.waitForURL(/\/c\//);
    await waitForEnd(page);
    await page.getByText("escalated", { exact: true }).waitFor();

    const after = await ledger(page);
    const reported = models.reported.slice(reportedBefore);
    const usd = after.usd - before.usd;
    expect(after.calls - before.calls).toBe(reported.length);
    expect(usd).toBeCloseTo(
      reported.reduce((sum, call) => sum + (call.usd ?? 0), 0),
      9,
    );

    const section = page.getByRole("button", { name: /^Cost and time/ });
    expect(Math.abs(dollars(await section.textContent()) - usd)).toBeLessThanOrEqual(shownTo(usd));
    await section.click();
    const table = page.locator("table.costs");
    const rows = table.locator("tbody tr");
    // The table is fetched when it is opened for the first time.
    await rows.first().waitFor();
    const stages = await rows.evaluateAll((all) =>
      all.map((row) => [...row.children].map((cell) => cell.textContent ?? "")),
    );
    expect(stages.map(([name]) => name)).toEqual([
      "Answers",
      "Reviews",
      "Final answer",
      "Refinement",
      "Devil’s advocate",
      "Title",
    ]);
    const calls = stages.reduce((sum, cells) => sum + Number(cells[1]), 0);
    expect(calls).toBe(reported.length);
    const shown = stages.reduce((sum, cells) => sum + dollars(cells.at(-2) ?? ""), 0);
    expect(Math.abs(shown - usd)).toBeLessThanOrEqual(stages.length * shownTo(usd));
    // The last cell is the share.
    const total = dollars(await table.locator("tfoot td").nth(4).textContent());
    expect(Math.abs(total - usd)).toBeLessThanOrEqual(shownTo(usd));
    // The same figures after a reload, from what is stored.
    const figures = await table.textContent();
    await page.reload();
    await finalAnswer(page).waitFor();
    await page.getByRole("button", { name: /^Cost and time/ }).click();
    expect(await page.locator("table.costs").textContent()).toBe(figures);
  });
});
