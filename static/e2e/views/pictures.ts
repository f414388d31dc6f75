/** Views of a question with pictures. */
import type { Page } from "playwright-core";
import { finalAnswer, send, waitForEnd } from "../browser";
import { png } from "../picture";

const hills = { name: "hills-at-noon.png", mimeType: "image/png", buffer: png(1200, 800) };
const tall = {
  name: "Screenshot of the dashboard.png",
  mimeType: "image/png",
  buffer: png(500, 900),
};

/** Chosen, beside a file of text. */
export async function picturesChosen(page: Page) {
  await page.getByLabel("Your question").fill("What do these two have in common?");
  const notes = { name: "notes.md", mimeType: "text/markdown", buffer: Buffer.from("# Notes") };
  await page.getByLabel("Add files").setInputFiles([hills, notes, tall]);
  await page.locator("img.file-thumbnail").nth(1).waitFor();
  await page.getByText("7 bytes").waitFor();
}

/** Asked about, with a member that does not see. */
export async function picturesAsked(page: Page) {
  const { origin } = new URL(page.url());
  const attachments: string[] = [];
  for (const file of [hills, tall]) {
    const multipart = { file };
    const taken = await page.request.post("/api/attachments", { headers: { origin }, multipart });
    attachments.push(((await taken.json()) as { id: string }).id);
  }
  const made = await send(page, "POST", "/api/conversations", {});
  const { id } = (await made.json()) as { id: string };
  await send(page, "POST", `/api/conversations/${id}/message`, {
    content: "What do these two have in common?",
    models: ["simulated/ada", "simulated/blind", "simulated/cleo"],
    attachments,
  });
  await page.goto(`/c/${id}`);
  await waitForEnd(page);
  const drawn = () =>
    [...document.querySelectorAll<HTMLImageElement>(".picture > img")].filter(
      ({ complete, naturalWidth }) => complete && naturalWidth > 0,
    ).length === 2;
  await page.waitForFunction(drawn);
}

export async function pictureCards(page: Page) {
  await picturesAsked(page);
  const unseen = page.getByText(/^Did not see/).first();
  // A phone shows one card at a time.
  const tab = page.getByRole("tab", { name: /blind/ });
  await tab.or(unseen).first().waitFor();
  if (await tab.isVisible()) await tab.click();
  await unseen.scrollIntoViewIfNeeded();
}

export async function pictureView(page: Page) {
  await picturesAsked(page);
  await finalAnswer(page).waitFor();
  await page.getByRole("button", { name: "Picture: hills-at-noon.png" }).click();
  await page.getByRole("dialog", { name: "hills-at-noon.png" }).locator("img").waitFor();
}
