/** What stands on the page against what is stored, and every text that stood there on the way. */
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { finalAnswer, patience } from "./browser";

interface Stored {
  messages: {
    role: string;
    status?: string;
    stage1?: { member: string; response: string }[];
    stage2?: { member: string; ranking: string }[];
    stage3?: { response: string };
    metadata?: { label_to_member?: Record<string, string> };
  }[];
}

type Watcher = Window & { councilTexts?: Record<string, string[]> };

/** From now on, every text that any frame shows in an answer or in the final answer is kept. */
export const watchTexts = (page: Page) =>
  page.addInitScript(() => {
    const kept: Record<string, string[]> = {};
    (window as Watcher).councilTexts = kept;
    const look = () => {
      const places = "article[aria-label^='Answer of '], section[aria-label='Final answer']";
      const now = new Map<string, string>();
      // What stood there before and is gone has become nothing.
      for (const name in kept) now.set(name, "");
      for (const place of document.querySelectorAll(places)) {
        const text = place.querySelector(".markdown")?.textContent ?? "";
        now.set(place.getAttribute("aria-label") ?? "", text);
      }
      for (const [name, text] of now) {
        kept[name] ??= [];
        if (kept[name].at(-1) !== text) kept[name].push(text);
      }
      requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  });

/** What `watchTexts` has seen since the page was loaded, by the label of the place. */
export const textsSoFar = (page: Page) =>
  page.evaluate(() => (window as Watcher).councilTexts ?? {});

/** Markdown's signs, its white space and the numbers of lists are not the text. */
const letters = (text: string) => text.replace(/[^\p{L}]/gu, "");

const shortName = (member: string) => member.slice(member.lastIndexOf("/") + 1);

export async function storedAnswer(page: Page) {
  const id = new URL(page.url()).pathname.split("/").at(-1);
  const response = await page.request.get(`/api/conversations/${id}`);
  const { messages } = (await response.json()) as Stored;
  const answers = messages.filter((message) => message.role === "assistant");
  expect(messages.filter((message) => message.role === "user")).toHaveLength(1);
  expect(answers).toHaveLength(1);
  const [answer] = answers;
  if (!answer?.stage1 || !answer.stage2 || !answer.stage3) throw new Error("nothing is stored");
  return {
    status: answer.status,
    stage1: answer.stage1,
    stage2: answer.stage2,
    stage3: answer.stage3,
    labels: answer.metadata?.label_to_member ?? {},
  };
}

/** Every text on the page, in full, once this many reviews are there: their part is loaded when needed. */
async function shown(page: Page, reviews: number): Promise<Record<string, string>> {
  const ofReview = page.getByRole("article", { name: /^Review by / });
  await expect.poll(() => ofReview.count(), { timeout: patience }).toBe(reviews);
  for (const review of await ofReview.all()) {
    const opener = review.getByText("Full review");
    if ((await review.locator(".details-body").count()) === 0) await opener.click();
    await review.locator(".details-body .markdown").waitFor();
  }
  const texts: Record<string, string> = {};
  for (const place of await page.getByRole("article", { name: /^(Answer of|Review by) / }).all()) {
    const name = (await place.getAttribute("aria-label")) ?? "";
    texts[name] = (await place.locator(".markdown").first().textContent()) ?? "";
  }
  texts["Final answer"] = (await finalAnswer(page).locator(".markdown").textContent()) ?? "";
  return texts;
}

/** The page equals the stored answer, and equals itself after a reload. */
export async function expectStored(page: Page) {
  const stored = await storedAnswer(page);
  expect(stored.status).toBe("complete");
  const expected: Record<string, string> = { "Final answer": stored.stage3.response };
  for (const { member, response } of stored.stage1) expected[`Answer of ${member}`] = response;
  for (const { member, ranking } of stored.stage2) {
    expected[`Review by ${member}`] = ranking.replace(/\bResponse [A-Z]\b/g, (label) =>
      shortName(stored.labels[label] ?? label),
    );
  }
  const live = await shown(page, stored.stage2.length);
  const plain = (texts: Record<string, string>) =>
    Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, letters(text)]));
  expect(plain(live)).toEqual(plain(expected));
  await page.reload();
  await finalAnswer(page)
    .getByRole("button", { name: "Copy answer" })
    .waitFor({ timeout: patience });
  expect(await shown(page, stored.stage2.length)).toEqual(live);
}

/**
 * Each text that stood on the page was the beginning of the stored one, and none was shorter than
 * the one before: nothing came twice, nothing flickered. After a `restart` of the server a call may
 * have been made again: its text began anew, once.
 */
export function expectGrowth(
  seen: Record<string, string[]>,
  stored: Awaited<ReturnType<typeof storedAnswer>>,
  { restarts = 0 } = {},
) {
  const whole: Record<string, string> = { "Final answer": letters(stored.stage3.response) };
  for (const { member, response } of stored.stage1) {
    whole[`Answer of ${member}`] = letters(response);
  }
  expect(Object.keys(seen)).not.toEqual([]);
  for (const [place, texts] of Object.entries(seen)) {
    let before = 0;
    let losses = 0;
    for (const text of texts.map(letters)) {
      expect(whole[place]?.startsWith(text), `${place} once showed “${text}”`).toBe(true);
      if (text.length < before) losses += 1;
      before = text.length;
    }
    expect(losses, `${place} lost its text`).toBeLessThanOrEqual(restarts);
  }
}
