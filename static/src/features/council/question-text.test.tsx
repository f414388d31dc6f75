import { expect, it } from "vitest";
import { render } from "../../test/render";
import QuestionText from "./question-text";

it("shows what stands between fences as code, and the rest as it was typed", async () => {
  const text = "Why **not**?\n```rust\nlet a = 1;\n\nlet b;\n```\nThanks.\n~~~\nopen";
  const page = await render(<QuestionText text={text} />);
  expect([...page.querySelectorAll("p")].map((one) => one.textContent)).toEqual([
    "Why **not**?",
    "Thanks.",
  ]);
  expect([...page.querySelectorAll("pre code")].map((one) => one.textContent)).toEqual([
    "let a = 1;\n\nlet b;",
    "open",
  ]);
});
