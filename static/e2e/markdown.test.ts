/** Models' Markdown as a browser shows it, copies it and takes it away. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { violations } from "./axe";
import { bothShapes, close, finalAnswer, launch, open, waitForEnd } from "./browser";
import { OwnServer } from "./own-server";
import { ScriptedModels } from "./scripted-models";

const answer = [
  "Water is H<sub>2</sub>O,<br>and <kbd>Ctrl</kbd> is a key. <b>Not bold.</b>",
  "$$E = mc^2$$",
  "- plain\n  - under plain\n- [x] done\n  - under done\n- [ ] open\n\n  - under open",
  "Hid\u200Bden \u{E0041}\u{E0042} ❤️",
  '```mermaid\ngraph TD\n  A["<img src=x onerror=alert(1)>"] --> B\n  click A href "javascript:alert(1)"\n```',
  "![spy](https://evil.example/beacon) and [a script](javascript:alert(1))",
].join("\n\n");
const question = "What does this do?\n```js\nalert(1)\n```\nAnd why?";

let browser: Browser;
let models: ScriptedModels;
let server: OwnServer;
beforeAll(async () => {
  models = await ScriptedModels.start(({ purpose }) => ({
    text: purpose === "review" ? "FINAL RANKING:\n1. Response A\n2. Response B" : answer,
  }));
  [browser, server] = await Promise.all([
    launch(),
    OwnServer.start(models.settings(["a/first", "a/second"])),
  ]);
});
afterAll(() => Promise.all([browser.close(), server.close(), models.close()]));

describe.each(bothShapes)("on %s", (_, shape) => {
  it("means what it says, hides nothing, and leaves with nothing live in it", async () => {
    const permissions = ["clipboard-read", "clipboard-write"];
    const watched = await open(browser, server, { ...shape, permissions });
    const { page } = watched;
    await page.goto("/");
    await page.getByLabel("Your question").fill(question);
    await page.getByRole("button", { name: "Ask", exact: true }).click();
    await waitForEnd(page);
    // Answers have code as well, and may be drawn first.
    const code = page.locator(".asked pre code");
    await code.waitFor();
    expect(await code.textContent()).toBe("alert(1)");

    const final = finalAnswer(page);
    await final.locator(".maths-display .katex-display").waitFor();
    expect(await final.locator("sub").textContent()).toBe("2");
    expect(await final.locator("kbd").textContent()).toBe("Ctrl");
    await final.getByText("<b>Not bold.</b>").waitFor();
    // A diagram stays its text, in colours: nothing of it is drawn, fetched or followed.
    const diagram = final.locator("pre code", { hasText: "graph TD" });
    await diagram.locator(".hljs-built_in").first().waitFor();
    expect(await diagram.textContent()).toContain('A["<img src=x onerror=alert(1)>"] --> B');
    expect(await diagram.locator("svg, img, a").count()).toBe(0);
    expect(
      await final
        .locator(".md-hidden")
        .evaluateAll((all) => all.map((one) => one.getAttribute("data-mark"))),
    ).toEqual(["U+200B", "hidden: AB"]);
    const edges = await Promise.all(
      ["under plain", "under done", "under open"].map((text) =>
        final
          .locator("li", { hasText: text })
          .last()
          .evaluate((item) => item.getBoundingClientRect().left),
      ),
    );
    expect(new Set(edges.map(Math.round)).size).toBe(1);
    expect(await violations(page)).toEqual([]);

    await final.getByRole("button", { name: "Copy answer" }).click();
    await final.getByText("Copied").waitFor();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(copied).toContain("Hidden  ❤️");
    await final.getByRole("button", { name: "Copy all as Markdown" }).click();
    await expect
      .poll(() => page.evaluate(() => navigator.clipboard.readText()))
      .toContain("\\![spy](https://evil.example/beacon) and [a script\\](javascript:alert(1))");

    const id = new URL(page.url()).pathname.split("/").at(-1);
    const exported = await (
      await page.request.get(`/api/conversations/${id}/export?format=md`)
    ).text();
    expect(exported).toContain("\\![spy](https://evil.example/beacon)");
    expect(exported).toContain("\\<b>Not bold.\\</b>");
    expect(exported).toMatch(/^_\d{1,2} [A-Z][a-z]+ \d{4}, \d{2}:\d{2} UTC_$/m);
    await close(watched);
  });
});
