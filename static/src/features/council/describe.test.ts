import { expect, it } from "vitest";
import { newRun } from "../../run/state";
import { reduce, reduceAll } from "../reducer";
import { describeRun } from "./describe";

const place = (position: number) => ({ type: "run_queued", run_id: "r1", position }) as const;

it("says where a run stands that waits for a free place", () => {
  expect(describeRun(reduce(newRun, place(3)))).toBe("Waiting for a free place: 3rd in line.");
  expect(describeRun(reduceAll(newRun, [place(3), place(1)]))).toBe(
    "Waiting for a free place: next in line.",
  );
});
