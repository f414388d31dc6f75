import { act } from "react";
import { beforeEach, expect, it, vi } from "vitest";
import { api } from "../../api/client";
import { keys, queryClient } from "../../api/queries";
import type { Feedback as Said } from "../../api/types";
import { button, click, render } from "../../test/render";
import { answer, seats, storedRun, synthesis } from "../../test/samples";
import { fromStored } from "../reducer";
import Feedback from "./feedback";

const run = fromStored(
  storedRun(
    seats.map((seat) => answer(seat)),
    [],
    synthesis(),
  ),
  "c1",
);

beforeEach(() => {
  queryClient.clear();
  queryClient.setQueryData(keys.feedback("r1"), { thumb: null, better: null });
});

it("says two things one after the other, and the answer to the first does not undo the second", async () => {
  const answers: ((said: Said) => void)[] = [];
  const given = vi
    .spyOn(api, "giveFeedback")
    .mockImplementation(() => new Promise((done) => answers.push(done)));
  const place = await render(<Feedback run={run} runId="r1" />, queryClient);
  const select = place.querySelector("select");
  if (!select) throw new Error("there is no list of answers");
  await click(button("Good answer"));
  await act(async () => {
    select.value = "council";
    select.dispatchEvent(new Event("change", { bubbles: true }));
  });
  // A machine that is busy may take its time.
  const patience = { timeout: 15_000 };
  await vi.waitFor(() => expect(given).toHaveBeenCalled(), patience);
  expect(given).toHaveBeenCalledExactlyOnceWith("r1", { thumb: "up", better: null, comment: null });
  await act(async () => answers[0]?.({ thumb: "up", better: null } as Said));
  await vi.waitFor(() => expect(given).toHaveBeenCalledTimes(2), patience);
  expect(given).toHaveBeenLastCalledWith("r1", { thumb: "up", better: "council", comment: null });
  expect(select.value).toBe("council");
  await act(async () => answers[1]?.({ thumb: "up", better: "council" } as Said));
  expect(button("Good answer")?.getAttribute("aria-pressed")).toBe("true");
});
