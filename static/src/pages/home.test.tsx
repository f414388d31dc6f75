import { beforeEach, expect, it } from "vitest";
import { identity } from "../api/identity";
import { keys, queryClient } from "../api/queries";
import { drafts } from "../features/composer/draft";
import { button, click, render, type } from "../test/render";
import { config } from "../test/samples";
import { Toasts } from "../ui/toast";
import { HomePage } from "./home";

beforeEach(async () => {
  await identity.note("ann");
  queryClient.setQueryDefaults(keys.config, { enabled: false });
  queryClient.setQueryDefaults(keys.presets, { enabled: false });
  queryClient.setQueryData(keys.config, config);
  drafts.clear(null);
});

it("an example takes the place of what was typed, which comes back on request", async () => {
  const page = await render(
    <>
      <HomePage />
      <Toasts />
    </>,
    queryClient,
  );
  const box = () => page.querySelector("textarea");
  await click(button("Explain why the sky"));
  await click(button("Should a small team"));
  expect(box()?.value).toMatch(/^Should a small team/);
  expect(page.textContent).not.toContain("put away");
  await type(box(), "Should I leave the company?");
  await click(button("What are the strongest"));
  expect(box()?.value).toMatch(/^What are the strongest/);
  expect(page.textContent).toContain("What you wrote was put away.");
  await click(button("Undo"));
  expect(box()?.value).toBe("Should I leave the company?");
});
