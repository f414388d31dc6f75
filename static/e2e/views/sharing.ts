/** Views of what is shared. */
import type { Page } from "playwright-core";
import { send, withConversation } from "../browser";

export async function shareDialog(page: Page) {
  await withConversation(page, "Share…");
  const dialog = page.getByRole("dialog", { name: "Share this conversation" });
  await dialog.getByRole("button", { name: "Create link" }).waitFor();
  return dialog;
}

/** A conversation as whoever has the link sees it. */
export const shared = (conversation: string) => async (page: Page) => {
  const made = await send(page, "POST", `/api/conversations/${conversation}/shares`, { days: 7 });
  const { path } = (await made.json()) as { path: string };
  await page.goto(path);
  await page.getByText(/^Shared by/).waitFor();
};
