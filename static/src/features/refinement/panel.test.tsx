import { describe, expect, it } from "vitest";
import { deliberation } from "../../test/deliberation";
import { button, click, settled } from "../../test/render";
import { synthesis } from "../../test/samples";

const critique = (member: string, text: string, is_substantive: boolean) => ({
  model: member,
  member,
  critique: text,
  is_substantive,
  latency_ms: 5,
});

describe("refinement", () => {
  const refinement = {
    max_iterations: 2,
    iterations: [
      {
        iteration: 1,
        critiques: [
          critique("aurora/large", "The year is wrong.", true),
          critique("Basil", "It is the wrong town.", true),
        ],
        substantive_count: 2,
        substantive_critique_count: 2,
        revision: "It was built in 1902.",
      },
    ],
    final_response: "It was built in 1902.",
    total_iterations: 1,
    converged: false,
    total_cost: 0.01,
    unknown_cost_calls: 0,
  };

  it("opens to the critiques, and to what was changed word by word", async () => {
    const final = synthesis({ response: "It was built in 1902.", draft: "It was built in 1910." });
    const page = await deliberation({ refinement }, final);
    expect(button("Refinement")?.textContent).toContain("revised once");
    await click(button("Refinement"));
    await settled("2 of 2 critics named faults; revised");
    await click(
      [...page.querySelectorAll("summary")].find((one) => one.textContent === "What was changed"),
    );
    await settled("1 word added");
    expect(page.querySelector(".diff del")?.textContent).toBe("1910");
    expect(page.querySelector(".diff ins")?.textContent).toBe("1902");
  });
});
