/** Six members write at once, 80 tokens a second each, and the page keeps its frames. */
import type { Browser, CDPSession } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ask, close, launch, moving, open, wide } from "./browser";
import { OwnServer } from "./own-server";
import { pulseOf, quantile, takePulse, unitOf } from "./pulse";
import { ScriptedModels } from "./scripted-models";

const members = ["a/one", "a/two", "b/three", "b/four", "c/five", "c/six"];

const part = (at: number) => `## Part ${at}

What decides it is **who is woken at night**, not *what is faster on paper*; see [the report](https://example.org/${at}). It costs $5 to $10, and \`measure()\` comes first.

1. what breaks first,
2. who is woken then,
3. and what it costs to change one’s mind.

| | now | in five years |
|---|---|---|
| hiring | easy | easy |
| upgrades | rare | painful |

\`\`\`rust
fn main() {
    let answer = decide(${at}).expect("an answer");
    println!("{answer}");
}
\`\`\`

> Whoever has to maintain it decides.
`;
/** At 80 tokens a second it takes longer to write than it is watched, whatever the machine's speed. */
const answer = Array.from({ length: 60 }, (_, at) => part(at + 1)).join("\n");

let browser: Browser;
let models: ScriptedModels;
let server: OwnServer;
beforeAll(async () => {
  models = await ScriptedModels.start(({ purpose }) =>
    // A token is four letters.
    purpose === "answer" ? { text: answer, piece: 4, everyMs: 12.5 } : { text: "Nothing." },
  );
  [browser, server] = await Promise.all([launch(), OwnServer.start(models.settings(members))]);
});
afterAll(() => Promise.all([browser.close(), server.close(), models.close()]));

const figures = (frames: readonly number[]) =>
  [0.5, 0.95, 0.99, 1].map((share) => quantile(frames, share).toFixed(1)).join(" / ");

async function layouts(cdp: CDPSession): Promise<number> {
  const { metrics } = await cdp.send("Performance.getMetrics");
  return metrics.find(({ name }) => name === "LayoutCount")?.value ?? 0;
}

it("keeps its frames while six members write at once", async () => {
  const watched = await open(browser, server, { viewport: wide, ...moving });
  const { page } = watched;
  await takePulse(page);
  await page.goto("/");
  await page.locator(".seats").waitFor();
  const unit = await unitOf(page);
  await pulseOf(page);
  await page.waitForTimeout(4_000);
  const idle = await pulseOf(page);
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("Performance.enable");
  await ask(page, "What should the next service be written in?");
  await page.locator(".answer-writing .markdown").nth(5).waitFor();
  await page.waitForTimeout(1_000);
  await pulseOf(page);
  const before = await layouts(cdp);
  await page.waitForTimeout(8_000);
  const busy = await pulseOf(page);
  const laidOut = (await layouts(cdp)) - before;
  expect(await page.locator(".answer-writing").count()).toBe(6);
  console.log(
    `unit ${unit.toFixed(1)} ms; frames, median / p95 / p99 / longest ms: idle ${figures(idle.frames)},`,
    `writing ${figures(busy.frames)}; ${busy.frames.length} frames and ${laidOut} layouts in 8 s,`,
    `${busy.tasks.length} tasks over 50 ms, longest ${Math.max(0, ...busy.tasks).toFixed(0)} ms`,
  );
  // The growth of a text is laid out once, together with the growth of the others.
  expect(laidOut).toBeLessThan(1.5 * busy.frames.length);
  // How long frames take is printed, for docs/performance.md: that depends on the machine.
  await close(watched);
});
