import { describe, expect, it, vi } from "vitest";
import { api } from "../../api/client";
import { newRun } from "../../run/state";
import { deliberation } from "../../test/deliberation";
import { button, click, render, settled } from "../../test/render";
import { answer, seats, storedRun, synthesis } from "../../test/samples";
import { AskableContext } from "../again/context";
import { toMarkdown } from "../export/markdown";
import { fromStored } from "../reducer";
import { aloneIn } from "./alone";
import { Deliberation } from "./deliberation";

describe("options that do not apply", () => {
  it("are named as at the composer, with the reason", async () => {
    const ignored = [{ field: "use_escalation", reason: "dynamic routing chooses who answers" }];
    const page = await deliberation({ ignored });
    expect(page.textContent).toContain(
      "Escalation did not apply: dynamic routing chooses who answers.",
    );
  });

  it("are not said to have done nothing where that depends on the question", async () => {
    const reason = "it is an option of the council";
    const page = await deliberation({
      ignored: [
        { field: "use_escalation", reason, reason_fact: { code: "taken_apart" } },
        { field: "use_react", reason, reason_fact: { code: "parts_only" } },
      ],
    });
    expect(page.textContent).toContain(
      "Escalation: it is an option of the council, and applies only if the question is not taken apart.",
    );
    expect(page.textContent).toContain(": it applies only if the question is taken apart.");
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

it("what can be done with an answer is there with it, before it is known what was said of it", async () => {
  vi.spyOn(api, "feedback").mockReturnValue(new Promise(() => undefined));
  const answers = seats.map((seat) => answer(seat));
  const run = fromStored(storedRun(answers, [], synthesis()), "c1");
  const page = await render(
    <AskableContext value={{ conversationId: "c1", runId: "r1", messageId: "m1" }}>
      <Deliberation question="Why?" run={run} live={null} latest onReattach={() => undefined} />
    </AskableContext>,
  );
  // Whatever came later would move what is below.
  expect(button("Ask again…")).toBeDefined();
  expect(page.querySelector(".feedback-wait select")).not.toBeNull();
});

it("the answer of a seat that was asked alone is shown and copied once, with what its card would say", async () => {
  const [seat] = seats;
  if (!seat) throw new Error("there is no seat");
  const alone = answer(seat, { response: "The moon does.", system_prompt_dropped: true });
  const final = synthesis({
    model: seat.model,
    response: alone.response,
    heading: "Answer of aurora/large alone, without the council",
    heading_fact: { code: "member_alone", member: seat.member },
  });
  const run = { ...fromStored(storedRun([alone], [], final), "c1"), runId: null };
  const page = await render(
    <Deliberation question="Why?" run={run} live={null} latest onReattach={() => undefined} />,
  );
  expect(page.textContent?.split("The moon does.")).toHaveLength(2);
  expect(button("Answers")).toBeUndefined();
  expect(page.querySelector(".final-by")?.textContent).toContain("1.2 s");
  expect(page.textContent).toContain("The provider refused the system prompt");
  expect(toMarkdown("Why?", run).split("The moon does.")).toHaveLength(2);
  // Not a member of a council whose others failed.
  expect(aloneIn(fromStored(storedRun([alone], [], synthesis()), "c1"))).toBeNull();
});
