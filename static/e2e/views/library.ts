/** Views of the library. */
import type { Page } from "playwright-core";
import { send } from "../browser";

const entries = [
  [
    "prompt",
    "Weekly report",
    "What did {{team}} do in week {{week}}, and what is in the way?",
    true,
  ],
  ["prompt", "Weigh two ways", "Compare {{one}} and {{other}} for a team of five.", false],
  [
    "rubric",
    "Decisions of the team",
    "- Cost: it says what each way costs us in the first year\n- Way back: it says how we would undo it\n- Honest: what it does not know, it says",
    true,
  ],
  ["rubric", "For children", "- Words: none that a child of eight would ask about", false],
] as const;

/** Some entries, once; the id of the third, which has two versions. */
async function fill(page: Page): Promise<string> {
  await page.goto("/");
  const known = await page.request.get("/api/library?kind=rubric&q=Decisions");
  const [there] = ((await known.json()) as { entries: { id: string }[] }).entries;
  if (there) return there.id;
  const made: string[] = [];
  for (const [kind, name, text, shared] of entries) {
    const answer = await send(page, "POST", "/api/library", { kind, name, text, shared });
    made.push(((await answer.json()) as { id: string }).id);
  }
  const id = made[2] ?? "";
  const text = `${entries[2][2]}\n- Short: a page at most`;
  await send(page, "PUT", `/api/library/${id}`, { version: 1, text });
  return id;
}

export async function library(page: Page) {
  await fill(page);
  await page.goto("/library");
  await page.getByRole("link", { name: "Weekly report" }).first().waitFor();
}

export async function libraryEntry(page: Page) {
  await page.goto(`/library/${await fill(page)}`);
  await page.getByRole("button", { name: "Show what version 1 says" }).click();
  await page.locator(".library-said").first().waitFor();
}

export async function promptsByKeys(page: Page) {
  await fill(page);
  await page.goto("/");
  await page.getByLabel("Your question").click();
  await page.keyboard.type("/we");
  await page.getByRole("option").first().waitFor();
}

export async function promptVariables(page: Page) {
  await promptsByKeys(page);
  await page.keyboard.press("Enter");
  await page.getByRole("dialog").getByRole("textbox").first().waitFor();
}

export async function promptsDialog(page: Page) {
  await fill(page);
  await page.goto("/");
  await page.getByLabel("Your question").fill("For the team:");
  await page.getByRole("button", { name: "Prompts" }).click();
  await page.getByRole("dialog").locator(".insert-entry").first().waitFor();
}

/** The panel of options with a rubric that is written there. */
export async function rubricChoice(page: Page) {
  await fill(page);
  await page.goto("/");
  await page.getByLabel("Your question").fill("Should we move to another database?");
  await page.getByRole("button", { name: /^Options/ }).click();
  const choice = page.getByRole("combobox", { name: "Rubric" });
  await choice.selectOption("here");
  await page.getByLabel("Criteria", { exact: true }).fill(entries[2][2]);
  await choice.scrollIntoViewIfNeeded();
}
