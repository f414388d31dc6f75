/** The library against the real server: prompts into the box, rubrics to the reviewers, versions, and what others see. */
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { fitsAndBreaksNoRule, violations } from "./axe";
import {
  bothShapes,
  close,
  launch,
  open,
  patience,
  send,
  type Watched,
  waitForEnd,
} from "./browser";
import { OwnServer, pace } from "./own-server";

let browser: Browser;
let server: OwnServer;
beforeAll(async () => {
  [browser, server] = await Promise.all([
    launch(),
    // The test is the proxy: it says in headers who somebody is.
    OwnServer.start({
      ...pace.quick,
      LLM_COUNCIL__AUTH__MODE: "proxy",
      LLM_COUNCIL__AUTH__TRUSTED_PROXIES: "127.0.0.1/32",
    }),
  ]);
});
afterAll(() => Promise.all([browser.close(), server.close()]));

/** Every attempt has people of its own. */
let people = 0;

async function add(
  page: Page,
  kind: "prompt" | "rubric",
  name: string,
  text: string,
  shared = false,
) {
  const made = await send(page, "POST", "/api/library", { kind, name, text, shared });
  expect(made.status()).toBe(200);
  return (await made.json()) as { id: string };
}

const box = (page: Page) => page.getByLabel("Your question");

describe.each(bothShapes)("on %s", (_, shape) => {
  let ann: Watched;
  const as = (user: string) =>
    open(browser, server, {
      ...shape,
      extraHTTPHeaders: { "remote-user": `${user}-${people}` },
    });
  beforeEach(async () => {
    people += 1;
    ann = await as("ann");
    await ann.page.goto("/");
  });
  afterEach(() => close(ann));

  it("a prompt is written, changed, brought back, and deleted", async () => {
    const { page } = ann;
    await page.goto("/library");
    await page.getByText("Nothing is here yet.").waitFor();
    await page.getByRole("link", { name: "New prompt" }).click();
    await page.getByRole("heading", { name: "New prompt", level: 1 }).waitFor();
    await page.getByLabel("Name").fill("Weekly report");
    await page.getByLabel("Text", { exact: true }).fill("What did {{team}} do in week {{week}}?");
    await page.getByText("It asks for: team, week.").waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("heading", { name: "Weekly report", level: 1 }).waitFor();
    await page.getByText("Version 1").waitFor();

    await page.getByLabel("Text", { exact: true }).fill("Nothing left of it.");
    // Left without saving, it is asked about.
    await page.getByRole("link", { name: "Back to the library" }).click();
    const leaving = page.getByRole("dialog", { name: "Leave without saving?" });
    await leaving.getByText("What you wrote here is not saved yet.").waitFor();
    await leaving.getByRole("button", { name: "Keep editing" }).click();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Version 2").waitFor();
    await page.getByRole("button", { name: "Show what version 1 says" }).click();
    await page.getByText("What did {{team}} do in week {{week}}?").waitFor();
    await fitsAndBreaksNoRule(page);
    await page.getByRole("button", { name: "Restore version 1" }).click();
    await page.getByText("Version 3").waitFor();
    await expect
      .poll(() => page.getByLabel("Text", { exact: true }).inputValue())
      .toBe("What did {{team}} do in week {{week}}?");

    await page.getByRole("button", { name: "Delete", exact: true }).click();
    const dialog = page.getByRole("dialog", { name: "Delete “Weekly report”?" });
    await dialog.getByRole("button", { name: "Delete", exact: true }).click();
    await page.getByText("Nothing is here yet.").waitFor();
  });

  it("a slash finds a prompt by keys, which asks for what it leaves open", async () => {
    const { page } = ann;
    await add(page, "prompt", "Weekly report", "What did {{team}} do in week {{week}}?");
    await add(page, "prompt", "Weather", "How is the weather?");
    await add(page, "rubric", "Weights", "- Light");
    await page.goto("/");
    await box(page).click();
    await page.keyboard.type("/we");
    const list = page.getByRole("listbox", { name: "Prompts" });
    await expect.poll(() => list.getByRole("option").count()).toBe(2);
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press("ArrowDown");
    await list.getByRole("option", { name: /^Weekly report/, selected: true }).waitFor();
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("Enter");
    await expect.poll(() => box(page).inputValue()).toBe("How is the weather?");
    expect(await box(page).evaluate((element) => element === document.activeElement)).toBe(true);

    await box(page).fill("");
    await page.keyboard.type("/weekly");
    await list.getByRole("option", { name: /^Weekly report/ }).waitFor();
    // Escape leaves the text alone; the next letter asks again.
    await page.keyboard.press("Escape");
    await expect.poll(() => list.count()).toBe(0);
    expect(await box(page).inputValue()).toBe("/weekly");
    await page.keyboard.type(" ");
    await list.getByRole("option", { name: /^Weekly report/ }).waitFor();
    await page.keyboard.press("Tab");
    const dialog = page.getByRole("dialog", { name: "Weekly report" });
    await expect
      .poll(() => dialog.getByLabel("team").evaluate((field) => field === document.activeElement))
      .toBe(true);
    expect(await violations(page)).toEqual([]);
    await page.keyboard.type("{{week}}s team");
    await dialog.getByLabel("week", { exact: true }).fill("12");
    await page.keyboard.press("Enter");
    // What is filled in is text, whatever it looks like.
    await expect.poll(() => box(page).inputValue()).toBe("What did {{week}}s team do in week 12?");
    // It is not sent by itself.
    expect(new URL(page.url()).pathname).toBe("/");
    await expect
      .poll(() => box(page).evaluate((element) => element === document.activeElement))
      .toBe(true);

    // A question that begins with a slash is one.
    await box(page).fill("/etc/hosts: what is it for?");
    await box(page).press("ControlOrMeta+Enter");
    await page.waitForURL(/\/c\//, { timeout: patience });
  });

  it("a prompt goes behind what is typed, by touch too", async () => {
    const { page } = ann;
    await add(page, "prompt", "Weather", "How is the weather?");
    await page.goto("/");
    await box(page).fill("In Bergen:");
    await page.getByRole("button", { name: "Prompts" }).click();
    const dialog = page.getByRole("dialog", { name: "Prompts" });
    await dialog.getByRole("button", { name: /^Weather/ }).waitFor();
    await fitsAndBreaksNoRule(page);
    await dialog.getByRole("button", { name: /^Weather/ }).click();
    await expect.poll(() => box(page).inputValue()).toBe("In Bergen:\n\nHow is the weather?");
  });

  it("a rubric goes to the reviewers and stands with their ballots as it was", async () => {
    const { page } = ann;
    const made = await add(page, "rubric", "House style", "- Brief: nothing could be left out");
    await page.goto("/");
    await box(page).fill("Why is the sky blue?");
    await page.getByRole("button", { name: /^Options/ }).click();
    const choice = page.getByRole("combobox", { name: "Rubric" });
    await choice.locator("option", { hasText: "House style" }).waitFor({ state: "attached" });
    await choice.selectOption({ label: "House style" });
    await page.getByText("What it says").click();
    await page.getByText("- Brief: nothing could be left out").waitFor();
    expect(await violations(page)).toEqual([]);

    // A draft comes into the field, to be changed.
    await page.getByRole("button", { name: "Draft one from the question" }).click();
    await page.getByText(/^Drafted by/).waitFor();
    const text = page.getByLabel("Criteria", { exact: true });
    expect(await text.inputValue()).toContain(
      "- Right: what it says of “Why is the sky blue” is true",
    );
    await text.fill("- Colours: it names one\n- <b>Bold</b> ![x](https://evil.example/x)");
    await fitsAndBreaksNoRule(page);
    const drawn = await text.evaluate((field) => {
      const { borderTopStyle, outlineStyle } = getComputedStyle(field);
      return [borderTopStyle, outlineStyle];
    });
    expect(drawn, "a frame, and another with the focus").toEqual(["solid", "solid"]);
    // It is kept with the draft.
    await page.reload();
    const done = page.getByRole("button", { name: "Done" });
    await page.getByRole("button", { name: /^Options/ }).click();
    await expect.poll(() => choice.inputValue()).toBe("here");
    await expect.poll(() => text.inputValue()).toContain("- Colours: it names one");
    await choice.selectOption({ label: "House style" });
    if (await done.isVisible()) await done.click();
    await page.getByRole("button", { name: "Ask", exact: true }).click();
    await page.waitForURL(/\/c\//, { timeout: patience });
    await waitForEnd(page);
    const changed = await send(page, "PUT", `/api/library/${made.id}`, {
      version: 1,
      text: "- Something else",
    });
    expect(changed.status()).toBe(200);
    await page.reload();
    const reviews = page.getByRole("button", { name: /^Reviews/ }).first();
    await reviews.waitFor();
    if ((await reviews.getAttribute("aria-expanded")) === "false") await reviews.click();
    const note = page.getByText("Rubric: House style, version 1");
    await note.click();
    await page.getByText("Brief: nothing could be left out").waitFor();
    expect(await violations(page)).toEqual([]);
  });

  it("what is shared is read, copied and not changed by others", async () => {
    const { page } = ann;
    const made = await add(page, "rubric", "Ours", "- Fair", true);
    const ben = await as("ben");
    try {
      await ben.page.goto("/library");
      await ben.page.getByRole("link", { name: "Ours" }).click();
      await ben.page.getByText("- Fair").first().waitFor();
      await ben.page.getByText(`by ann-${people}`).waitFor();
      expect(await ben.page.getByRole("button", { name: "Save" }).count()).toBe(0);
      expect(await violations(ben.page)).toEqual([]);
      await ben.page.getByRole("button", { name: "Make a copy of my own" }).click();
      await ben.page.getByRole("heading", { name: "New rubric", level: 1 }).waitFor();
      expect(await ben.page.getByLabel("Criteria", { exact: true }).inputValue()).toBe("- Fair");
      await ben.page.getByRole("button", { name: "Save" }).click();
      await ben.page.getByRole("heading", { name: "Ours", level: 1 }).waitFor();

      // A change over one that was not read is refused, and says so.
      await page.goto(`/library/${made.id}`);
      await page.getByLabel("Criteria", { exact: true }).fill("- Mine");
      const other = await send(page, "PUT", `/api/library/${made.id}`, {
        version: 1,
        text: "- From elsewhere",
      });
      expect(other.status()).toBe(200);
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByText("version 2 was saved meanwhile").waitFor();
      await page.getByRole("button", { name: "Show what version 2 says" }).waitFor();
      const criteria = page.getByLabel("Criteria", { exact: true });
      expect(await criteria.inputValue()).toBe("- Mine");
      expect(await violations(page)).toEqual([]);
      await page.getByRole("button", { name: "Go on with version 2" }).click();
      await expect.poll(() => criteria.inputValue()).toBe("- From elsewhere");
      await page.getByRole("button", { name: "Undo" }).click();
      await expect.poll(() => criteria.inputValue()).toBe("- Mine");
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByText("“Ours” was saved.").waitFor();
      ann.faults.splice(0, ann.faults.length, ...ann.faults.filter((fault) => !/409/.test(fault)));
    } finally {
      // Everybody would go on seeing it.
      await send(page, "DELETE", `/api/library/${made.id}`);
      await close(ben);
    }
  });
});
