import { describe, expect, it } from "vitest";
import { deliberation } from "../../test/deliberation";
import { button, click, settled } from "../../test/render";

describe("the devil's advocate", () => {
  const adversary = {
    adversary_model: "eve/one",
    critique: "It harms.",
    has_issues: true,
    severity: "major" as const,
    severity_from: "assumed" as const,
    severity_note: "It names no severity; minor is assumed.",
    revised: false,
    revision: null,
    error: "cedar/pro could not revise the answer, which stands as it was: too slow",
    total_cost: null,
  };

  it("says how grave it is, how that is known, and what failed", async () => {
    const page = await deliberation({ adversary });
    const head = button("Devil’s advocate");
    expect(head?.textContent).toContain("major");
    await click(head);
    await settled("It harms.");
    expect(page.textContent).toContain("minor is assumed");
    expect(page.textContent).toContain("could not revise the answer");
  });
});
