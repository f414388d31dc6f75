import { expect, it } from "vitest";
import { render } from "../test/render";
import { Clamp } from "./clamp";

const clamp = (following: boolean) => (
  <Clamp label="Answer of Ada" following={following}>
    Herons
  </Clamp>
);

it("keys reach a text from the moment it is written, before it is longer than its box", async () => {
  const place = await render(clamp(true));
  const box = () => place.querySelector(".clamp-box");
  expect(box()?.getAttribute("tabindex")).toBe("0");
  expect(box()?.getAttribute("aria-label")).toBe("Answer of Ada");
  await render(clamp(false));
  expect(box()?.hasAttribute("tabindex")).toBe(false);
});
