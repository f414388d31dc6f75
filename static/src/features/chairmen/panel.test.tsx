import { describe, expect, it } from "vitest";
import { deliberation } from "../../test/deliberation";
import { button, click, settled } from "../../test/render";
import { synthesis } from "../../test/samples";

describe("several chairmen", () => {
  const final = synthesis({
    syntheses: [
      { label: "A", model: "cedar/pro", response: "First." },
      { label: "B", model: "dune/reasons", response: "Second." },
    ],
    selected_synthesis: "B",
    selected_by: "cedar/pro",
    selection_reasoning: "B is complete.",
    evaluation: "A is short.",
  });

  it("stand side by side, the chosen one marked, with the reason", async () => {
    const page = await deliberation({}, final);
    expect(button("Several chairmen")?.textContent).toContain("B by reasons, of 2 drafts");
    await click(button("Several chairmen"));
    await settled("B is complete.");
    const drafts = [...page.querySelectorAll("article[aria-label^=Draft]")];
    expect(drafts.map((draft) => draft.textContent?.includes("chosen"))).toEqual([false, true]);
  });
});
