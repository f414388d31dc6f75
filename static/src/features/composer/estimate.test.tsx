import { QueryClient } from "@tanstack/react-query";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { api } from "../../api/client";
import { Problem } from "../../api/problem";
import type { BudgetState, Estimate } from "../../api/types";
import { button, click, render, settled } from "../../test/render";
import EstimateView, { priceOf } from "./estimate";

const estimate = (more: Partial<Estimate> = {}): Estimate => ({
  calls: 14,
  cost_usd: 0.01234,
  by_stage: {
    stage1: { calls: 4, prompt_tokens: 40, completion_tokens: 4800, cost_usd: 0.01 },
    adversary: { calls: 2, prompt_tokens: 10, completion_tokens: 990 },
  },
  unknown_price_models: [],
  missing_models: [],
  budgets: [],
  nearly_used_up: [],
  ...more,
});

const budget: BudgetState = {
  scope: "user",
  name: "ada",
  period: "day",
  set_by: "admin",
  limit_usd: 1,
  spent_usd: 0.8,
  reserved_usd: 0.05,
  unknown_cost_calls: 0,
};

describe("the price in words", () => {
  it.each<[Partial<Estimate>, boolean, string]>([
    [{}, false, "about $0.012"],
    [{ cost_usd: 0 }, true, "free (simulated)"],
    [{ cost_usd: 0 }, false, "free"],
    [{ cost_usd: undefined, unknown_price_models: ["a/b"] }, false, "cost unknown"],
    [{ unknown_price_models: ["a/b"] }, false, "about $0.012 + unknown prices"],
    [{ cost_usd: 0, unknown_price_models: ["a/b"] }, true, "about $0 + unknown prices"],
  ])("%j, simulated %s: %s", (more, simulated, text) => {
    expect(priceOf(estimate(more), simulated)).toBe(text);
  });
});

describe("the estimate", () => {
  let client: QueryClient;
  beforeEach(() => {
    client = new QueryClient();
  });
  const show = (asked = JSON.stringify({ content: "Why?" }), refused = false) =>
    render(
      <EstimateView conversationId={null} asked={asked} simulated={false} refused={refused} />,
      client,
    );

  it("is asked for once typing has paused, and opens to its stages", async () => {
    const asked = vi.spyOn(api, "estimate").mockResolvedValue(estimate());
    await show();
    await show(JSON.stringify({ content: "Why not?" }));
    await settled("about $0.012 · 14 calls");
    expect(asked).toHaveBeenCalledOnce();
    expect(asked.mock.calls[0]?.slice(0, 2)).toEqual([null, { content: "Why not?" }]);
    await click(button("about"));
    const rows = [...document.querySelectorAll("tbody tr")].map((row) => row.textContent);
    expect(rows).toEqual(["Answers44,840$0.010", "Devil’s advocate21,000unknown"]);
  });

  it("says with the figures that a budget would be exceeded", async () => {
    const refusal = { detail: "It is reached.", budget, needed_usd: 0.1501 };
    vi.spyOn(api, "estimate").mockResolvedValue(estimate({ refusal }));
    await show();
    await settled("This question would cost about $0.15. If you ask it now, it will be refused.");
    expect(document.body.textContent).toContain(
      "Your budget for today: $0.80 of $1.00 spent, $0.0500 set aside for runs under way.",
    );
    // The refusal itself has said so.
    await show(undefined, true);
    expect(document.body.textContent).not.toContain("Over budget.");
  });

  it("says that a budget is nearly used up", async () => {
    vi.spyOn(api, "estimate").mockResolvedValue(estimate({ nearly_used_up: [budget] }));
    await show();
    await settled("Your budget for today: with this question about $0.85 of $1.00.");
  });

  it("says who is not on offer, and who is asked instead", async () => {
    const missing_models = [
      { model: "m/gone", nearest: "m/near", replaced: true },
      { model: "m/own", nearest: "m/other", replaced: false },
      { model: "x/alone", replaced: false },
    ];
    vi.spyOn(api, "estimate").mockResolvedValue(estimate({ missing_models }));
    await show();
    await settled("m/gone is not on offer now. m/near is asked in its place.");
    expect([...document.querySelectorAll("li")].map((line) => line.textContent).slice(1)).toEqual([
      "m/own is not on its provider’s list and will probably not answer. The nearest model there is m/other.",
      "x/alone is not on its provider’s list and will probably not answer.",
    ]);
  });

  it("says what the question itself would be refused for", async () => {
    const problem = new Problem("refused", "tier1_models: is empty", 422);
    vi.spyOn(api, "estimate").mockRejectedValue(problem);
    await show();
    await settled("No estimate: tier1_models: is empty");
  });

  it("names the files that the server no longer has", async () => {
    const fields = [{ field: "attachments.0", message: "is not one of your files" }];
    const problem = new Problem("refused", "attachments.0: is not one of your files", 422, fields);
    vi.spyOn(api, "estimate").mockRejectedValue(problem);
    await show(
      JSON.stringify({ content: "Why?", attachments: [{ id: "f1", filename: "plan.pdf" }] }),
    );
    await settled("No estimate: The server no longer has plan.pdf.");
  });
});
