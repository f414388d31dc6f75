import { act } from "react";
import { describe, expect, it } from "vitest";
import type { Costs } from "../../api/types";
import { deliberation } from "../../test/deliberation";
import { button, render, settled } from "../../test/render";
import { costs, synthesis } from "../../test/samples";
import { CostTable } from "./costs";

describe("costs", () => {
  it("mark what is estimated and what is unknown", async () => {
    const stage = { cost: 0.02, tokens: 10, latency_ms: 5, calls: 3 };
    const page = await render(
      <CostTable
        costs={{
          ...costs,
          by_stage: { refinement: { ...stage, unknown_cost_calls: 1, estimated_cost_calls: 2 } },
          unknown_cost_calls: 1,
          estimated_cost_calls: 2,
        }}
      />,
    );
    expect(page.querySelector("tbody")?.textContent).toContain("Refinement");
    expect(page.textContent).toContain("1 call of unknown price, not included");
    expect(page.textContent).toContain("2 calls worked out from list prices");
  });

  it("do not read as free where most prices are unknown", async () => {
    const calls = { tokens: 10, latency_ms: 5, calls: 3 };
    const model = { tokens: 10, prompt_tokens: 5, completion_tokens: 5, calls: 2 };
    const some: Costs = {
      ...costs,
      total_cost: 0,
      by_stage: { stage1: { ...calls, unknown_cost_calls: 3 }, title: { ...calls, cost: 0 } },
      by_model: {
        "a/one": { ...model, cost: 0.02, unknown_cost_calls: 1 },
        "b/two": { ...model, unknown_cost_calls: 2 },
      },
      unknown_cost_calls: 3,
    };
    const page = await render(<CostTable costs={some} />);
    expect(page.querySelector("tfoot")?.textContent).toContain(
      "at least $0 + and 3 calls of unknown price",
    );
    await act(async () => page.querySelector("summary")?.click());
    await settled("Cost by model");
    const [one, two] = page.querySelectorAll("table:not(:has(tfoot)) tbody tr");
    expect(one?.textContent).toContain("$0.0200 + and 1 call of unknown price");
    expect(two?.textContent).toContain("cost unknown");
    expect(two?.textContent).not.toContain("+");

    await deliberation({ costs: some }, synthesis());
    expect(button("Cost and time")?.textContent).toBe(
      "Cost and timeat least $0 · 3 calls of unknown price",
    );
  });

  it("are a plain sum where every price is known", async () => {
    const page = await render(<CostTable costs={costs} />);
    expect(page.querySelector("tfoot")?.textContent).toBe("Total––$0.0100");
  });
});
