import { expect, it, vi } from "vitest";
import { api } from "../../api/client";
import type { RunState } from "../../run/state";
import { button, render } from "../../test/render";
import { answer, seats, storedRun, synthesis } from "../../test/samples";
import { fromStored } from "../reducer";
import { TurnView } from "./turn";

const nothing = () => undefined;

const turn = (run: RunState, edited: boolean) => (
  <TurnView
    conversationId="c1"
    number={1}
    question="Why?"
    questionId="q1"
    files={[]}
    ofProject={[]}
    parentId={null}
    siblings={[]}
    edited={edited}
    running={false}
    seats={[]}
    replaced={0}
    run={run}
    earlier={[]}
    live={null}
    latest={false}
    far={false}
    onReattach={nothing}
    onAskAgain={nothing}
  />
);

it("an answer that was read briefly stands as it was written until it is whole, and its question is not edited before", async () => {
  vi.spyOn(api, "feedback").mockReturnValue(new Promise(() => undefined));
  const whole = storedRun(
    seats.map((seat) => answer(seat)),
    [],
    synthesis(),
  );
  const brief = { ...whole, stage1: null, stage2: null, stage3: null, brief: "Together: so." };
  const page = await render(turn(fromStored(brief, "c1"), true));
  expect(page.querySelector("[data-waits]")?.textContent).toBe("Together: so.");
  expect(page.querySelector(".deliberation")).toBeNull();
  expect(page.querySelector(".question")?.textContent).toBe("Why?");
  // Nor is it offered: a press would lead nowhere.
  expect(button("Edit the question")).toBeUndefined();

  await render(turn(fromStored(whole, "c1"), false));
  expect(page.querySelector(".turn > [data-waits]")).toBeNull();
  expect(page.querySelector(".deliberation")).not.toBeNull();
  expect(button("Edit the question")).toBeDefined();
});
