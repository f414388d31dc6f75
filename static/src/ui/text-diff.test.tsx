import { expect, it } from "vitest";
import { render } from "../test/render";
import TextDiff from "./text-diff";

it("says so when not a word was changed", async () => {
  const page = await render(<TextDiff before="The same." after="The same." />);
  expect(page.textContent).toBe("Not a word was changed.");
});

it("gives both texts back, each without the other's part", async () => {
  const before = "One two three.\n\nFour five.";
  const after = "One too three.\n\nFour, five, six.";
  const page = await render(<TextDiff before={before} after={after} />);
  const text = (without: string) =>
    [...page.querySelectorAll(".diff > *")]
      .filter((part) => part.localName !== without)
      .map((part) => part.textContent)
      .join("");
  expect(text("ins")).toBe(before);
  expect(text("del")).toBe(after);
});
