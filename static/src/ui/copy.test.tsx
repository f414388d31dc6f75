import { expect, it, vi } from "vitest";
import { button, click, render } from "../test/render";
import { CopyButton } from "./copy";

it("copies what is seen: nothing that is hidden in a text comes along", async () => {
  const writeText = vi.fn(async (_: string) => undefined);
  vi.stubGlobal("navigator", { ...navigator, clipboard: { writeText } });
  await render(<CopyButton label="Copy" text={() => "a\u200Bb\u{E0041} ❤️"} />);
  await click(button("Copy"));
  expect(writeText).toHaveBeenCalledWith("ab ❤️");
});

it("whoever only hears the button hears that it is done", async () => {
  vi.stubGlobal("navigator", { ...navigator, clipboard: { writeText: async () => undefined } });
  await render(<CopyButton label="Copy" name="Copy what A says" text={() => "a"} />);
  await click(button("Copy what A says"));
  expect(button("Copied")).toBeDefined();
  expect(button("Copy what A says")).toBeUndefined();
});
