/** Views of what somebody thinks of an answer. */
import type { Page } from "playwright-core";

const field = (page: Page) => page.getByRole("textbox", { name: "What was wrong?" });

/** A thumb down, and a field for what was wrong. */
export async function sayWhatWasWrong(page: Page) {
  const bad = page.getByRole("button", { name: "Bad answer" }).last();
  await bad.waitFor();
  if ((await bad.getAttribute("aria-pressed")) === "false") await bad.click();
  const remove = page.getByRole("button", { name: "Remove the comment" });
  await field(page).or(remove).waitFor();
  if (await remove.isVisible()) await remove.click();
  await field(page).fill("It compares the languages, and says nothing of the team.");
  await field(page).scrollIntoViewIfNeeded();
}

export async function saidWhatWasWrong(page: Page) {
  await sayWhatWasWrong(page);
  await field(page).press("Enter");
  await page.getByRole("button", { name: "Change the comment" }).waitFor();
}
