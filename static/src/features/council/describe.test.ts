import { expect, it } from "vitest";
import { newRun } from "../../run/state";
import { answer, seats } from "../../test/samples";
import { reduce, reduceAll } from "../reducer";
import { answeredText, describeRun } from "./describe";

const place = (position: number) => ({ type: "run_queued", run_id: "r1", position }) as const;

it("says where a run stands that waits for a free place", () => {
  expect(describeRun(reduce(newRun, place(3)))).toBe("Waiting for a free place: 3rd in line.");
  expect(describeRun(reduceAll(newRun, [place(3), place(1)]))).toBe(
    "Waiting for a free place: next in line.",
  );
});

it("one number says how many have answered, and those that failed are said apart", () => {
  const [one] = seats;
  if (!one) throw new Error("there is no seat");
  const asked = reduce(newRun, { type: "stage1_start", members: seats, use_cot: false });
  expect(answeredText(asked)).toBe("0 of 2 answered");
  const failed = reduce(asked, {
    type: "stage1_error",
    model: one.model,
    member: one.member,
    error: "It is busy.",
    error_kind: "rate_limited",
    data: answer(one, { response: "", error: "It is busy.", error_kind: "rate_limited" }),
  });
  expect(answeredText(failed)).toBe("0 of 2 answered, 1 failed");
  expect(describeRun(failed)).toBe("Stage 1: 0 of 2 members have answered. 1 failed.");
});
