import { act } from "react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Problem } from "../../api/problem";
import { retryMember } from "../../api/retry-member";
import type { Answer, CouncilEvent } from "../../api/types";
import { answerFrom, emptyAnswer } from "../../run/parts";
import { newRun } from "../../run/state";
import { button, click, render } from "../../test/render";
import { answer, seats } from "../../test/samples";
import { AnswerCard } from "../council/answer-card";
import { reduceAll } from "../reducer";
import { UnderWayContext } from "./context";
import { canRetry } from "./retries";

vi.mock(import("../../api/retry-member"), () => ({ retryMember: vi.fn() }));
const sent = vi.mocked(retryMember);
afterEach(() => sent.mockReset());

const [aurora, basil] = seats as [(typeof seats)[0], (typeof seats)[0]];
const started: CouncilEvent[] = [
  { type: "run_started", run_id: "r1", conversation_id: "c1", message_id: "m1" },
  { type: "stage1_start", members: seats, use_cot: false },
];
const failing = (more: Partial<Answer> = {}): CouncilEvent => ({
  type: "stage1_error",
  ...aurora,
  error: "down",
  error_kind: "overloaded",
  data: answer(aurora, { response: "", error: "down", error_kind: "overloaded", ...more }),
});
const answering: CouncilEvent = {
  type: "stage1_model_complete",
  ...basil,
  data: answer(basil),
};

/** Who can be asked again once all this has happened. */
function offered(...events: CouncilEvent[]): string[] {
  const { answers } = reduceAll(newRun, [...started, ...events]);
  return answers.filter((one) => canRetry(one, answers)).map(({ seat }) => seat.member);
}

describe("who can be asked again", () => {
  it("is a member that has failed while another is waited for", () => {
    expect(offered()).toEqual([]);
    expect(offered(failing())).toEqual(["aurora/large"]);
    const again: CouncilEvent = {
      type: "member_retried",
      model: aurora.model,
      member: aurora.member,
      stage: "stage1",
      retry: 1,
    };
    expect(offered(failing(), again)).toEqual([]);
    expect(offered(failing(), again, failing({ retries: 1 }))).toEqual(["aurora/large"]);
    expect(offered(failing(), answering)).toEqual([]);
  });

  it("is nobody three times, nor whom the council was to go on without", () => {
    expect(offered(failing({ retries: 2 }))).toEqual(["aurora/large"]);
    expect(offered(failing({ retries: 3 }))).toEqual([]);
    expect(offered(failing({ error_fact: { code: "skipped" } }))).toEqual([]);
  });

  it("is nobody whom the reviews do not wait for", () => {
    const failed = answer(aurora, { error: "down", error_kind: "overloaded" });
    const complete: CouncilEvent = {
      type: "stage1_complete",
      data: [failed, { ...answer(basil), pending: true }],
      metadata: { aggregate_confidence: { count: 0, total_models: 2, distribution: {} } },
    };
    expect(offered(failing(), complete)).toEqual([]);
  });

  it("is nobody of a first tier once the second is asked", () => {
    const first = { ...answerFrom(answer(aurora, { error: "down" })), tier: 1 };
    const late = { ...emptyAnswer(basil), tier: 1 };
    const second = { ...emptyAnswer({ model: "cedar/pro", member: "cedar/pro" }), tier: 2 };
    expect(canRetry(first, [first, late])).toBe(true);
    expect(canRetry(first, [first, late, second])).toBe(false);
    const failed = { ...first, tier: 2 };
    expect(canRetry(failed, [late, failed])).toBe(false);
    expect(canRetry(failed, [late, failed, second])).toBe(true);
  });
});

describe("asking again", () => {
  let done: (value: unknown) => void;
  beforeEach(() => {
    sent.mockImplementation(
      () =>
        new Promise((resolve) => {
          done = resolve;
        }),
    );
  });

  const shown = (runId: string | null, retries = true) =>
    render(
      <UnderWayContext value={runId}>
        <AnswerCard
          answer={answerFrom(answer(aurora, { response: "", error: "down" }))}
          seat={0}
          retries={retries}
        />
      </UnderWayContext>,
    );

  it("is offered on the card of a run that is under way alone", async () => {
    await shown(null);
    expect(button("Try again")).toBeUndefined();
    await shown("r1", false);
    expect(button("Try again")).toBeUndefined();
    await shown("r1");
    expect(button("Try again: large")).toBeDefined();
  });

  it("is asked for once, and leaves the focus on the card", async () => {
    const place = await shown("r1");
    button("Try again")?.focus();
    await click(button("Try again"));
    expect(button("Asking…")?.getAttribute("aria-disabled")).toBe("true");
    await click(button("Asking…"));
    expect(sent).toHaveBeenCalledExactlyOnceWith("r1", "aurora/large");
    await act(async () => done({}));
    expect(document.activeElement).toBe(place.querySelector("article"));
  });

  it("says what went wrong, and can be tried anew", async () => {
    sent.mockRejectedValueOnce(new Problem("refused", "it cannot be asked again now.", 409));
    const place = await shown("r1");
    button("Try again")?.focus();
    await click(button("Try again"));
    const said = place.querySelector("[role=alert]")?.textContent;
    expect(said).toBe("Not asked again. It cannot be asked again now.");
    expect(document.activeElement).toBe(button("Try again"));
    await click(button("Try again"));
    expect(place.querySelector("[role=alert]")).toBeNull();
    expect(sent).toHaveBeenCalledTimes(2);
  });
});
