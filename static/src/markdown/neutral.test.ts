import { describe, expect, it } from "vitest";
import { neutral } from "./neutral";

describe("a text for another program", () => {
  it.each([
    ["![a](https://evil.example/?q=1)", "\\![a](https://evil.example/?q=1)"],
    ["\\\\![a](x) and \\![b](https://b.example)", "\\\\\\![a\\](x) and \\![b](https://b.example)"],
    ["[a](javascript:alert(1))", "[a\\](javascript:alert(1))"],
    [
      "[a](JaVa&#x53;cript:x) [b](  data:text/html,x)",
      "[a\\](JaVa&#x53;cript:x) [b\\](  data:text/html,x)",
    ],
    ["[a](/api/user) [b](//evil.example)", "[a\\](/api/user) [b\\](//evil.example)"],
    ["[a](https://a.example) [b](#b) [c](mailto:c@c.example)", null],
    ["[a]\n\n[a]: javascript:x", "[a]\n\n\\[a]: javascript:x"],
    ["[a]: https://a.example\n[^1]: A note.", null],
    ["<script>alert(1)</script>", "\\<script>alert(1)\\</script>"],
    ["<img src=x onerror=alert(1)>", "\\<img src=x onerror=alert(1)>"],
    ["<!-- x --> <?x?> <br onload=x>", "\\<!-- x --> \\<?x?> \\<br onload=x>"],
    ["a<br>b <sub>c</sub> <kbd>D</kbd> x < y <https://a.example>", null],
    ["<javascript:alert(1)>", "\\<javascript:alert(1)>"],
  ])("has nothing live: %j", (text, expected) => {
    expect(neutral(text)).toBe(expected ?? text);
  });

  it.each([
    "```html\n<img src=x>\n```\n\nAnd `Vec<T>`, ``a ` <b>``.",
    "1. Do:\n   ```sh\n   git clone <url>\n   ```",
    "~~~\n```\n<b>\n~~~",
  ])("keeps code as it is: %j", (text) => {
    expect(neutral(text)).toBe(text);
  });

  it.each([
    "``<img src=x>`",
    "x ` y\nz ` <img src=x> ` w",
    "```\n   ```\n<img src=x>",
    "- a\n  ```\n<img src=x>",
    "   ```\n```\n<img src=x>",
    "> ```\n\n<img src=x>",
    "```a`b\n<img src=x>",
    "\\`<img src=x>`",
    "para\n        ```\n        <img src=x>",
  ])("is not fooled by what only looks like code: %j", (text) => {
    expect(neutral(text)).toContain("\\<img");
  });

  it("closes what was left open, so that it ends with its text", () => {
    expect(neutral("```js\n1")).toBe("```js\n1\n```");
  });

  // If each sign were followed to the end, or compared with all others, these would take minutes.
  it("takes no longer over a text of nothing but signs", () => {
    const many = 300_000;
    const backslashes = "\\".repeat(many);
    expect(neutral(`x ${backslashes}`)).toBe(`x ${backslashes}`);
    expect(neutral("](".repeat(many))).toBe("\\](".repeat(many));
    expect(neutral("`a` ".repeat(many))).toBe("`a` ".repeat(many));
  });
});
