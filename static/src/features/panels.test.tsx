import { describe, expect, it, vi } from "vitest";
import type { AssistantMessage } from "../api/types";
import { newRun, type RunState } from "../run/state";
import { fromStored } from "../run/stored";
import { button, click, render, settled } from "../test/render";
import { answer, costs, seats, storedRun, synthesis } from "../test/samples";
import { CostTable } from "./council/costs";
import { Deliberation } from "./council/deliberation";
import Monitor from "./process/monitor";

const answers = seats.map((seat) => answer(seat));

function shown(
  metadata: Partial<AssistantMessage["metadata"]>,
  final = synthesis(),
  more: Partial<RunState> = {},
) {
  const message = storedRun(answers, [], final);
  const stored = { ...message, metadata: { ...message.metadata, ...metadata } };
  const run = { ...fromStored(stored, "c1"), runId: null, ...more };
  return render(
    <Deliberation question="Why?" run={run} live={null} latest onReattach={() => undefined} />,
  );
}

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
    const page = await shown({ refinement }, final);
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
    const page = await shown({ adversary });
    const head = button("Devil’s advocate");
    expect(head?.textContent).toContain("major");
    await click(head);
    await settled("It harms.");
    expect(page.textContent).toContain("minor is assumed");
    expect(page.textContent).toContain("could not revise the answer");
  });
});

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
    const page = await shown({}, final);
    expect(button("Several chairmen")?.textContent).toContain("B by reasons, of 2 drafts");
    await click(button("Several chairmen"));
    await settled("B is complete.");
    const drafts = [...page.querySelectorAll("article[aria-label^=Draft]")];
    expect(drafts.map((draft) => draft.textContent?.includes("chosen"))).toEqual([false, true]);
  });
});

describe("options that do not apply", () => {
  it("are named as at the composer, with the reason", async () => {
    const ignored = [{ field: "use_escalation", reason: "dynamic routing chooses who answers" }];
    const page = await shown({ ignored });
    expect(page.textContent).toContain(
      "Escalation did not apply: dynamic routing chooses who answers.",
    );
  });
});

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

describe("the process log", () => {
  const notes = (["stage", "model", "error"] as const).map((category, at) => ({
    message: `${category} entry`,
    category,
    level: at + 1,
    timestamp: "2026-01-01T10:00:00.000Z",
    details: null,
  }));

  it("is filtered by kind and by detail", async () => {
    const page = await render(
      <Monitor run={{ ...newRun, hasLog: true, notes }} onClose={vi.fn()} />,
    );
    const entries = () => [...page.querySelectorAll(".note:not(.chip)")].length;
    expect(entries()).toBe(3);
    await click(button("Models"));
    expect(button("Models")?.getAttribute("aria-pressed")).toBe("false");
    expect(entries()).toBe(2);
  });
});

it("a run without options shows none of their panels", async () => {
  const page = await shown({}, synthesis(), { ...newRun, status: "complete" });
  for (const title of ["Refinement", "Devil", "Several"]) expect(button(title)).toBeUndefined();
  expect(page.querySelector(".run-note")).toBeNull();
});
