import { describe, expect, it } from "vitest";
import { render } from "../../test/render";
import { costs } from "../../test/samples";
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
});
