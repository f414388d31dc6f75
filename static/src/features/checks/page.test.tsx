import { beforeEach, expect, it, vi } from "vitest";
import * as checks from "../../api/checks";
import { Problem } from "../../api/problem";
import { button, click, render, type } from "../../test/render";
import { ProvidersPage } from "./page";
import { useCheck } from "./store";

const limit = (text: string) =>
  type(document.querySelector<HTMLInputElement>(".check-form input"), text);

beforeEach(() => useCheck.setState({ running: false, report: null, problem: null }));

it("sends the limit that was typed, none where there is none, and no other", async () => {
  const asked = vi.spyOn(checks, "checkProviders");
  asked.mockRejectedValue(new Problem("refused", "Another check is under way.", 409));
  const page = await render(<ProvidersPage />);
  await click(button("Check now"));
  expect(asked).toHaveBeenLastCalledWith({});
  expect(page.querySelector('[role="alert"]')?.textContent).toBe(
    "Not checked: Another check is under way.",
  );
  await limit("0.25");
  await click(button("Check now"));
  expect(asked).toHaveBeenLastCalledWith({ max_cost_usd: 0.25 });
  for (const wrong of ["much", "-1", "101"]) {
    await limit(wrong);
    await click(button("Check now"));
    expect(document.activeElement).toBe(document.querySelector(".check-form input"));
  }
  expect(asked).toHaveBeenCalledTimes(2);
});

it("does not say that calls of unknown price were free", async () => {
  const report = {
    at: "2026-03-12T09:30:00",
    took_ms: 900,
    cost: { spent_usd: 0, max_usd: 0.01, unpriced_calls: 2 },
    council: true,
    message: "A council can be held.",
    checks: [],
    providers: [],
    models: [],
  } as unknown as checks.CheckReport;
  useCheck.setState({ report });
  const page = await render(<ProvidersPage />);
  const facts = page.querySelector(".verdict .facts")?.textContent;
  expect(facts).toContain("cost at least $0 of at most $0.01");
  expect(facts).toContain("2 calls of unknown price");
});
