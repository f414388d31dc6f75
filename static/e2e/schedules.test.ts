/** Scheduled questions against the real server: made, looked at, asked by hand, changed, paused, deleted. */
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { fitsAndBreaksNoRule, violations } from "./axe";
import { bothShapes, close, launch, open, shapes, type Watched } from "./browser";
import { OwnServer, pace } from "./own-server";

let browser: Browser;
let server: OwnServer;
beforeAll(async () => {
  [browser, server] = await Promise.all([launch(), OwnServer.start(pace.quick)]);
});
afterAll(async () => {
  await Promise.all([browser.close(), server.close()]);
});

interface Listed {
  schedules: { id: string; cron: string; time_zone: string; request: object; paused: boolean }[];
}
const listed = async ({ request }: Page): Promise<Listed["schedules"]> => {
  const { schedules }: Listed = await (await request.get("/api/schedules")).json();
  return schedules;
};

/** Removes what the test before, or its first attempt, has left when it failed. */
async function removeAll(page: Page) {
  for (const { id } of await listed(page)) {
    const gone = await page.request.delete(`/api/schedules/${id}`, {
      headers: { origin: server.origin },
    });
    expect(gone.ok()).toBe(true);
  }
}

/** The refusal that a test brings about is an error to the browser's console. */
function forgiveRefusal({ faults }: Watched) {
  const kept = faults.filter((fault) => !/status of 422 .*\/api\/schedule/.test(fault));
  faults.splice(0, faults.length, ...kept);
}

describe.each(bothShapes)("on %s", (_, shape) => {
  let watched: Watched;
  let page: Page;
  const form = () => page.getByRole("form", { name: "New scheduled question" });
  const row = () => page.getByRole("listitem", { name: "Herons" });
  beforeEach(async () => {
    watched = await open(browser, server, shape);
    page = watched.page;
    await removeAll(page);
  });
  afterEach(() => close(watched));

  it("one is made of a question with its options, asked now, changed, paused and deleted", async () => {
    await page.goto("/");
    await page.getByLabel("Your question").fill("What is new about herons?");
    await page.getByRole("button", { name: "System prompt" }).click();
    await page.getByLabel(/^System prompt for every member/).fill("Speak like a sailor.");
    await page.getByRole("button", { name: /^Options/ }).click();
    await page.getByRole("link", { name: "On a schedule…" }).click();
    await form().waitFor();
    expect(await form().getByLabel("Question", { exact: true }).inputValue()).toBe(
      "What is new about herons?",
    );
    await form().getByText("With the system prompt: Speak like a sailor.").waitFor();
    await form().getByLabel("Name").fill("Herons");
    await form().getByLabel("How often").selectOption("week");
    await form().getByLabel("Day of the week").selectOption("3");
    await form().getByLabel("Time of day").fill("18:30");
    await form().getByLabel("Time zone").fill("Asia/Kolkata");
    await form()
      .getByText(/^Next: Wed, .* 6:30 PM · Wed, .* 6:30 PM · Wed, .* 6:30 PM \(Asia\/Kolkata\)$/)
      .waitFor();
    await form().getByLabel("Budget in US dollars a month").fill("2,50");
    await fitsAndBreaksNoRule(page);
    await form().getByRole("button", { name: "Create schedule" }).click();
    await row()
      .getByText(/^Every Wednesday at 6:30 PM · .* of \$2\.50 this month$/)
      .waitFor();
    const [made] = await listed(page);
    expect(made).toMatchObject({
      cron: "30 18 * * 3",
      time_zone: "Asia/Kolkata",
      request: { content: "What is new about herons?", system_prompt: "Speak like a sailor." },
    });
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.textContent))
      .toBe("New scheduled question");
    await page.reload();
    await row().waitFor();
    expect(await form().count(), "what led here is done with").toBe(0);
    await fitsAndBreaksNoRule(page);

    await row().getByRole("button", { name: "Ask now" }).click();
    await row().getByText("complete").waitFor();
    await row().getByRole("button", { name: "Results" }).click();
    await row()
      .getByText(/asked by hand$/)
      .waitFor();
    expect(await violations(page)).toEqual([]);
    await row()
      .getByRole("link", { name: /^Answer of / })
      .click();
    await page.getByRole("heading", { name: /^\d{4}-\d\d-\d\d · Herons$/ }).waitFor();

    await page.goto("/schedules");
    await row().getByRole("button", { name: "Change", exact: true }).click();
    const change = page.getByRole("form", { name: "Change Herons" });
    expect(await change.getByLabel("Time of day").inputValue()).toBe("18:30");
    await change.getByLabel("How often").selectOption("own");
    expect(await change.getByLabel("Cron expression").inputValue()).toBe("30 18 * * 3");
    await change.getByLabel("Cron expression").fill("* * * * *");
    await change.getByRole("button", { name: "Save" }).click();
    await change.getByText("at least 15 minutes have to lie between two times").waitFor();
    expect(await violations(page)).toEqual([]);
    await change.getByLabel("Cron expression").fill("whenever");
    await change.getByText("A cron expression has 5 parts").waitFor();
    forgiveRefusal(watched);
    await change.getByLabel("Cron expression").fill("0 */6 * * *");
    await change.getByRole("button", { name: "Save" }).click();
    await row().getByText("0 */6 * * *").waitFor();
    expect((await listed(page))[0]?.request).toEqual(made?.request);

    await row().getByRole("button", { name: "Pause" }).click();
    await row().getByText("paused", { exact: true }).waitFor();
    await row().getByRole("button", { name: "Resume" }).click();
    await row()
      .getByText(/^Next: /)
      .waitFor();

    await row().getByRole("button", { name: "More for Herons" }).click();
    await page.getByRole("menuitem", { name: "Delete…" }).click();
    const dialog = page.getByRole("dialog", { name: "Delete this schedule?" });
    await dialog.getByRole("button", { name: "Delete" }).click();
    await page.getByText("Nothing is asked on a schedule yet.").waitFor();
    expect(await listed(page)).toEqual([]);
    forgiveRefusal(watched);
  });

  it("what the server refuses is said at its field", async () => {
    await page.goto("/schedules");
    await page.getByRole("button", { name: "New scheduled question" }).click();
    await form().getByLabel("Question", { exact: true }).fill("Why?");
    await form().getByLabel("Time zone").fill("Mars/Olympus");
    await form().getByLabel("Budget in US dollars a month").fill("-1");
    await form().getByRole("button", { name: "Create schedule" }).click();
    await form().getByText("There is no such time zone.").waitFor();
    await form().getByText("From 0 to 10,000,000.").waitFor();
    expect(await form().getByLabel("Time zone").getAttribute("aria-invalid")).toBe("true");
    expect(await violations(page)).toEqual([]);
    await form().getByRole("button", { name: "Cancel" }).click();
    expect(await listed(page)).toEqual([]);
    forgiveRefusal(watched);
  });
});

it("is done by keyboard alone, from the sidebar on", async () => {
  const watched = await open(browser, server, shapes.wide);
  const { page } = watched;
  await removeAll(page);
  await page.goto("/");
  await page.getByRole("link", { name: "Scheduled questions" }).press("Enter");
  await page.getByRole("button", { name: "New scheduled question" }).press("Enter");
  const form = page.getByRole("form", { name: "New scheduled question" });
  await form.getByLabel("Question", { exact: true }).focus();
  await page.keyboard.type("What is new about storks?");
  await form.getByLabel("Name").press("Enter");
  const row = page.getByRole("listitem", { name: "What is new about storks?" });
  await row.getByText(/^Monday to Friday at 8:00 AM/).waitFor();
  await row.getByRole("button", { name: "Pause" }).press("Enter");
  await row.getByText("paused", { exact: true }).waitFor();
  await row.getByRole("button", { name: /^More for / }).press("Enter");
  await page.getByRole("menuitem", { name: "Delete…" }).press("Enter");
  await page.getByRole("button", { name: "Delete", exact: true }).press("Enter");
  await page.getByText("Nothing is asked on a schedule yet.").waitFor();
  await expect
    .poll(() => page.evaluate(() => document.activeElement?.textContent))
    .toBe("New scheduled question");
  await close(watched);
});
