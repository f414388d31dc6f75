import { expect, it } from "vitest";
import { plain } from "./plain";

it.each([
  ["## A diagram ```mermaid flowchart LR A --> B ``` and", "A diagram flowchart LR A --> B and"],
  [
    "… is **true** and _not_ *quite* ~~false~~, see `x = 1`",
    "… is true and not quite false, see x = 1",
  ],
  [
    'see [the tide](https://example.org/a_b "Tide") and ![a heron](heron.png)',
    "see the tide and a heron",
  ],
  ["1. **Measure bef", "Measure bef"],
  ["> - quoted\n> - twice", "quoted twice"],
  ["| a | b | |---|:--:| | 1 | 2 |", "| a | b | | 1 | 2 |"],
])("%s", (written, read) => {
  expect(plain(written)).toBe(read);
});

it.each(["C# is 2 * 3 * 4", "snake_case_name and __init__.py", "a - b, issue #12, 5 > 4"])(
  "leaves what is no Markdown alone: %s",
  (text) => {
    expect(plain(text)).toBe(text);
  },
);
