import type { ComponentType } from "react";
import { expect, it } from "vitest";
import { render } from "../test/render";
import { orMissing } from "./part";

it("a part that is missing leads back to the same days, with the page loaded anew", async () => {
  history.replaceState(null, "", "/dashboard?days=90");
  const missing: Promise<{ default: ComponentType }> = Promise.reject(new Error("it is gone"));
  const { default: Part } = await orMissing(missing);
  const page = await render(<Part />);
  expect(page.querySelector("a")?.getAttribute("href")).toBe("/dashboard?days=90");
});
