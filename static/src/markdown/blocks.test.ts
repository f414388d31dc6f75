import { describe, expect, it } from "vitest";
import { growing, oneKindOfMaths, splitBlocks } from "./blocks";
import { isTangled, pieces, withoutDepths } from "./parser-limits";

const sample = [
  "# Head\n\nFirst *paragraph* with `code`.\n",
  "- one\n- two\n  - three\n\n- four\n",
  "1. a\n2. b\n",
  "| a | b |\n|---|---|\n| 1 | 2 |\n",
  "```js\nconst a = 1;\n\n// `x`\n```\n",
  "> quoted\n> more\n",
  "$$\nx\n\ny\n$$\n",
  "\\[\na\n\nb\n\\]\n",
  "The end.",
].join("\n");

describe("a text that grows", () => {
  it("ends as the whole text, however it was cut", () => {
    for (const step of [1, 3, 7, 40]) {
      const grow = growing();
      for (let end = step; end < sample.length; end += step) grow(sample.slice(0, end));
      expect(grow(sample)).toEqual(splitBlocks(sample));
    }
  });

  it("never changes a block that has another after it, while it is plain text", () => {
    const text = Array.from({ length: 30 }, (_, at) => `Paragraph ${at}, *with* marks.`).join(
      "\n\n",
    );
    const grow = growing();
    let before: string[] = [];
    for (let end = 1; end <= text.length; end += 5) {
      const now = grow(text.slice(0, end)).map((block) => block.text);
      expect(now.slice(0, before.length - 1)).toEqual(before.slice(0, -1));
      before = now;
    }
  });

  it("begins anew with another text", () => {
    const grow = growing();
    grow("One.\n\nTwo.\n\nThree.");
    expect(grow("Other.\n\nText.").map((block) => block.text.trim())).toEqual(["Other.", "Text."]);
  });
});

describe("a text that nobody writes for a reader", () => {
  it("keeps all of its letters in pieces", () => {
    const text = `${"word ".repeat(5_000)}${"😀".repeat(5_001)}`;
    const all = pieces(text);
    expect(all.join("")).toBe(text);
    expect(Math.max(...all.map((piece) => piece.length))).toBeLessThanOrEqual(4_001);
    for (const piece of all) expect(() => encodeURIComponent(piece)).not.toThrow();
  });

  it("comes in blocks that each are quickly read", () => {
    const list = Array.from({ length: 10_000 }, (_, at) => `${at + 1}. item`).join("\n");
    const blocks = splitBlocks(list);
    expect(blocks.length).toBeGreaterThan(20);
    expect(Math.max(...blocks.map((block) => block.text.length))).toBeLessThan(5_000);
    expect(blocks[1]?.text).toMatch(/^\d{3,}\. item/);
    expect(splitBlocks("x".repeat(1_000_000)).every((block) => block.kind === "plain")).toBe(true);
  });

  it("nests no deeper than a parser can", () => {
    for (const text of [">".repeat(10_000), "- ".repeat(5_000), "1. ".repeat(5_000)]) {
      expect(withoutDepths(`${text}x`)).toMatch(/^.{10,50}\\/);
      expect(splitBlocks(`${text}x`).length).toBeLessThan(6);
    }
    const stairs = Array.from({ length: 500 }, (_, at) => `${"  ".repeat(at)}- a`).join("\n");
    expect(
      Math.max(
        ...withoutDepths(stairs)
          .split("\n")
          .map((line) => line.length),
      ),
    ).toBe(35);
    const code = `\`\`\`\n${">".repeat(50)}\n\`\`\``;
    expect(withoutDepths(code)).toBe(code);
  });

  // If each sign were followed to the end, these would take minutes.
  it("takes no longer where a formula or a piece of code is never closed", () => {
    const many = 300_000;
    for (const text of [`$${"_".repeat(many)}`, `$1 x${"`".repeat(many)}\n`]) {
      expect(oneKindOfMaths(text)).toBe(text);
    }
    expect(oneKindOfMaths("costs $5, and $x_1$ or $y$ is `$z_1$`")).toBe(
      "costs $5, and $$x_1$$ or $y$ is `$z_1$`",
    );
  });

  it("is shown as written where its signs are many", () => {
    expect(isTangled("**a_".repeat(1_000))).toBe(true);
    expect(isTangled("[".repeat(10_000))).toBe(true);
    expect(isTangled("A *usual* [text](https://example.org). ".repeat(100))).toBe(false);
  });
});
