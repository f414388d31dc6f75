import { act } from "react";
import { beforeEach, describe, expect, it, type MockInstance, vi } from "vitest";
import { api } from "../../api/client";
import { keys, queryClient } from "../../api/queries";
import type { Feedback as Said } from "../../api/types";
import { button, click, render, settled, type } from "../../test/render";
import { answer, seats, storedRun, synthesis } from "../../test/samples";
import { Toasts } from "../../ui/toast";
import { fromStored } from "../reducer";
import { Feedback } from "./feedback";

const run = fromStored(
  storedRun(
    seats.map((seat) => answer(seat)),
    [],
    synthesis(),
  ),
  "c1",
);

const shown = () =>
  render(
    <>
      <Feedback run={run} runId="r1" />
      <Toasts />
    </>,
    queryClient,
  );

beforeEach(() => {
  sessionStorage.clear();
  queryClient.clear();
  queryClient.setQueryData(keys.feedback("r1"), { thumb: null, better: null });
});

it("has its place before it is known what was said, and nothing to press there", async () => {
  queryClient.clear();
  const answers: ((said: Said) => void)[] = [];
  vi.spyOn(api, "feedback").mockImplementation(() => new Promise((done) => answers.push(done)));
  const place = await shown();
  const own = place.querySelector(".feedback-wait");
  expect(own?.querySelectorAll("button, select")).toHaveLength(3);
  await act(async () => answers[0]?.({ thumb: "up", better: null } as Said));
  await vi.waitFor(() => expect(place.querySelector(".feedback-wait")).toBeNull());
  expect(place.querySelector(".feedback")).toBe(own);
  expect(button("Good answer")?.getAttribute("aria-pressed")).toBe("true");
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

it("a comment that goes with its thumb can be brought back", async () => {
  const said = { thumb: "down", better: null, comment: "It is about cranes." } as const;
  queryClient.setQueryData(keys.feedback("r1"), said);
  const given = vi.spyOn(api, "giveFeedback").mockResolvedValue({} as Said);
  const place = await shown();
  await click(button("Good answer"));
  await vi.waitFor(() => expect(given).toHaveBeenCalledOnce());
  expect(given).toHaveBeenLastCalledWith("r1", { thumb: "up", better: null, comment: null });
  expect(place.textContent).toContain("Your comment was removed.");
  await click(button("Undo"));
  await vi.waitFor(() => expect(given).toHaveBeenCalledTimes(2));
  expect(given).toHaveBeenLastCalledWith("r1", said);
  expect(place.querySelector(".feedback-text")?.textContent).toBe(said.comment);
});

describe("an answer that has been open for long", () => {
  const elsewhere = { thumb: "down", better: null, comment: "It is about cranes." } as Said;
  let given: MockInstance<typeof api.giveFeedback>;
  beforeEach(() => {
    // As it was before something was said on another device.
    queryClient.setQueryData(keys.feedback("r1"), { thumb: null, better: null }, { updatedAt: 1 });
    vi.spyOn(api, "feedback").mockResolvedValue(elsewhere);
    given = vi.spyOn(api, "giveFeedback").mockResolvedValue({} as Said);
  });

  it("keeps the comment that was written elsewhere since, and shows it", async () => {
    const place = await shown();
    await click(button("Bad answer"));
    await settled("It is about cranes.");
    expect(given).toHaveBeenCalledExactlyOnceWith("r1", elsewhere);
    expect(place.textContent).not.toContain("was removed");
  });

  it("brings back the one that goes with its thumb", async () => {
    await shown();
    await click(button("Good answer"));
    await settled("The comment that you wrote elsewhere was removed.");
    expect(given).toHaveBeenLastCalledWith("r1", { thumb: "up", better: null, comment: null });
    await click(button("Undo"));
    await vi.waitFor(() => expect(given).toHaveBeenCalledTimes(2));
    expect(given).toHaveBeenLastCalledWith("r1", elsewhere);
  });

  it("leaves what is being typed in its field", async () => {
    let read: (said: Said) => void = () => undefined;
    vi.spyOn(api, "feedback").mockReturnValue(
      new Promise((done) => {
        read = done;
      }),
    );
    const place = await shown();
    await click(button("Bad answer"));
    await type(place.querySelector("textarea"), "It is not about herons.");
    await act(async () => read(elsewhere));
    await settled("Cancel");
    expect(place.querySelector("textarea")?.value).toBe("It is not about herons.");
    await click(button("Cancel"));
    expect(place.querySelector(".feedback-text")?.textContent).toBe(elsewhere.comment);
  });
});

it("what is half typed is there again after the other thumb", async () => {
  queryClient.setQueryData(keys.feedback("r1"), { thumb: "down", better: null, comment: null });
  vi.spyOn(api, "giveFeedback").mockResolvedValue({} as Said);
  const place = await shown();
  await type(place.querySelector("textarea"), "It is about cr");
  await click(button("Good answer"));
  expect(place.querySelector("textarea")).toBeNull();
  expect(place.textContent).not.toContain("was removed");
  await click(button("Bad answer"));
  expect(place.querySelector("textarea")?.value).toBe("It is about cr");
});

it("a comment that is too long is not cut: it says so, and cannot be saved", async () => {
  queryClient.setQueryData(keys.feedback("r1"), { thumb: "down", better: null, comment: null });
  const given = vi.spyOn(api, "giveFeedback").mockResolvedValue({} as Said);
  const place = await shown();
  const box = place.querySelector("textarea");
  expect(box?.hasAttribute("maxlength")).toBe(false);
  await type(box, "é".repeat(2_001));
  expect(place.textContent).toContain("2,001 of 2,000 characters");
  expect(button("Save")?.disabled).toBe(true);
  await act(async () => place.querySelector("form")?.requestSubmit());
  expect(given).not.toHaveBeenCalled();
  await type(box, "é".repeat(2_000));
  expect(button("Save")?.disabled).toBe(false);
});

it("a comment that is not taken stands in its field still", async () => {
  queryClient.setQueryData(keys.feedback("r1"), { thumb: "down", better: null, comment: null });
  vi.spyOn(api, "feedback").mockResolvedValue({ thumb: "down", better: null } as Said);
  vi.spyOn(api, "giveFeedback").mockRejectedValue(new TypeError("Failed to fetch"));
  const place = await shown();
  await type(place.querySelector("textarea"), "It is about cranes.");
  await act(async () => place.querySelector("form")?.requestSubmit());
  await vi.waitFor(() =>
    expect(place.querySelector("textarea")?.value).toBe("It is about cranes."),
  );
});

it("a change of a comment that is not taken stands in its field still", async () => {
  const said = { thumb: "down", better: null, comment: "It is about cranes." } as Said;
  queryClient.setQueryData(keys.feedback("r1"), said);
  vi.spyOn(api, "feedback").mockResolvedValue(said);
  vi.spyOn(api, "giveFeedback").mockRejectedValue(new TypeError("Failed to fetch"));
  const place = await shown();
  await click(button("Change the comment"));
  await type(place.querySelector("textarea"), "It is about storks.");
  await act(async () => place.querySelector("form")?.requestSubmit());
  await settled("Your opinion was not saved");
  await vi.waitFor(() =>
    expect(place.querySelector("textarea")?.value).toBe("It is about storks."),
  );
});

it("the field for a comment is brought into sight by the press that opens it, and not by itself", async () => {
  const seen = vi.fn();
  Element.prototype.scrollIntoView = seen;
  vi.spyOn(api, "giveFeedback").mockResolvedValue({} as Said);
  queryClient.setQueryData(keys.feedback("r1"), { thumb: "down", better: null });
  await shown();
  expect(seen).not.toHaveBeenCalled();
  await click(button("Bad answer"));
  await click(button("Bad answer"));
  await vi.waitFor(() => expect(seen).toHaveBeenCalledExactlyOnceWith({ block: "nearest" }));
});
