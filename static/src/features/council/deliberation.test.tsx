import { describe, expect, it } from "vitest";
import { newRun } from "../../run/state";
import { deliberation } from "../../test/deliberation";
import { button, click, settled } from "../../test/render";
import { synthesis } from "../../test/samples";

describe("options that do not apply", () => {
  it("are named as at the composer, with the reason", async () => {
    const ignored = [{ field: "use_escalation", reason: "dynamic routing chooses who answers" }];
    const page = await deliberation({ ignored });
    expect(page.textContent).toContain(
      "Escalation did not apply: dynamic routing chooses who answers.",
    );
  });
});

it("prompts of the administrator's own are named with their versions", async () => {
  const prompts = [
    { name: "chairman", version: "0c1d2e" },
    { name: "review", version: "a1b2c3" },
  ];
  const page = await deliberation({ prompts });
  await click(button("Cost and time"));
  await settled("With your administrator's own prompts:");
  expect(page.textContent).toContain("chairman (0c1d2e), review (a1b2c3).");
});

it("a run without options shows none of their panels", async () => {
  const page = await deliberation({}, synthesis(), { ...newRun, status: "complete" });
  for (const title of ["Refinement", "Devil", "Several"]) expect(button(title)).toBeUndefined();
  expect(page.querySelector(".run-note")).toBeNull();
});

it("whoever asked is told that somebody else has stopped the run", async () => {
  const stopped = { ...newRun, status: "cancelled" } as const;
  const own = await deliberation({}, undefined, stopped);
  expect(own.textContent).toContain("Stopped. What had arrived is kept.");
  const page = await deliberation({}, undefined, {
    ...stopped,
    errorKind: "stopped_by_administrator",
  });
  expect(page.textContent).toContain("Stopped by an administrator. What had arrived is kept.");
});
