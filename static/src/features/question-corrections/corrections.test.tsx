import { act } from "react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { correct } from "../../api/corrections";
import { identity } from "../../api/identity";
import { Problem } from "../../api/problem";
import type { CouncilEvent } from "../../api/types";
import { newRun } from "../../run/state";
import { button, click, render, type } from "../../test/render";
import { answer, review, seats, storedRun, synthesis, wholeRun } from "../../test/samples";
import { Toasts } from "../../ui/toast";
import { drafts } from "../composer/draft";
import { fromStored, reduceAll } from "../reducer";
import { UnderWayContext } from "../waiting/context";
import { feature } from "./feature";
import { Corrections } from "./note";
import { askedAnew, correctionsOf, isOpen } from "./state";

const answers = seats.map((seat) => answer(seat));
const reviews = seats.map((seat) => review(seat));
const correction = { id: "5f3c1f2f0f9a4b1e", text: "I mean the second edition." };
const told: CouncilEvent = { type: "correction_added", data: correction };
const events = wholeRun(answers, reviews, synthesis()).flatMap<CouncilEvent>((event) =>
  event.type === "stage1_complete" ? [told, event] : [event],
);
const message = storedRun(answers, reviews, synthesis());
const stored = { ...message, metadata: { ...message.metadata, corrections: [correction] } };
const begun = events.slice(0, events.indexOf(told));

vi.mock(import("../../api/corrections"), () => ({ correct: vi.fn() }));
const sent = vi.mocked(correct);
beforeEach(async () => {
  await identity.note("ann");
  sessionStorage.clear();
  drafts.clear("c1");
});
afterEach(() => sent.mockReset());

const shown = (runId: string | null = "r1", seen = begun) =>
  render(
    <UnderWayContext value={runId}>
      <Corrections key={seen.length} run={reduceAll(newRun, seen)} />
      <Toasts />
    </UnderWayContext>,
  );

const press = (box: Element | null, init: KeyboardEventInit) => {
  const event = new KeyboardEvent("keydown", { bubbles: true, cancelable: true, ...init });
  return act(async () => box?.dispatchEvent(event));
};

describe("a corrected question", () => {
  it("is the same once it is stored", () => {
    expect(fromStored(stored, "c1")).toEqual(reduceAll(newRun, events));
    expect(correctionsOf(fromStored(stored, "c1"))).toEqual([correction]);
    expect(correctionsOf(fromStored(message, "c1"))).toEqual([]);
  });

  it("is told once, however often it comes", () => {
    expect(correctionsOf(reduceAll(newRun, [...begun, told, told]))).toEqual([correction]);
  });

  it("is asked anew with what was added to it, and copied with it", () => {
    const run = fromStored(stored, "c1");
    expect(askedAnew("Who wrote it?", run)).toBe(
      "Who wrote it?\n\nCorrection: I mean the second edition.",
    );
    expect(askedAnew("Who wrote it?", fromStored(message, "c1"))).toBe("Who wrote it?");
    expect(feature.copied(run, "all")).toEqual(["## Corrections of the question", correction.text]);
    expect(feature.copied(run, "final")).toEqual([]);
  });

  it("can be corrected until the reviews begin", () => {
    const open = (count: number) => isOpen(reduceAll(newRun, events.slice(0, count)));
    const began = events.findIndex(({ type }) => type === "stage1_start");
    const reviewed = events.findIndex(({ type }) => type === "stage2_start");
    expect(open(began)).toBe(false);
    for (let count = began + 1; count <= reviewed; count += 1) expect(open(count)).toBe(true);
    for (let count = reviewed + 1; count <= events.length; count += 1)
      expect(open(count)).toBe(false);
  });
});

describe("adding a correction", () => {
  it("is offered while the run is under way here, and sent once", async () => {
    expect((await shown(null)).textContent).toBe("");
    sent.mockResolvedValue({});
    const place = await shown();
    await click(button("Correct the question"));
    const box = place.querySelector("textarea");
    expect(document.activeElement).toBe(box);
    await click(button("Add to the question"));
    expect(sent).not.toHaveBeenCalled();
    await type(box, correction.text);
    await click(button("Add to the question"));
    expect(sent).toHaveBeenCalledExactlyOnceWith("r1", correction.text);
    expect(place.querySelector("textarea")).toBeNull();
  });

  it("that comes too late or fails says so, and keeps what was typed", async () => {
    const late = new Problem("refused", "too late: …", 409);
    const gone = new Problem("restarting", "the database is away", 503);
    sent.mockRejectedValueOnce(gone).mockRejectedValueOnce(late);
    const place = await shown();
    await click(button("Correct the question"));
    await type(place.querySelector("textarea"), correction.text);
    await click(button("Add to the question"));
    expect(place.textContent).toContain("Not added: the database is away");
    await click(button("Add to the question"));
    expect(place.textContent).toContain("Too late: the answers are being judged already.");
    expect(place.querySelector("textarea")?.value).toBe(correction.text);
  });

  it("sends on Enter, as the box for questions does, and not with Shift", async () => {
    sent.mockResolvedValue({});
    const place = await shown();
    await click(button("Correct the question"));
    const box = place.querySelector("textarea");
    await type(box, correction.text);
    await press(box, { key: "Enter", shiftKey: true });
    await press(box, { key: "Enter", isComposing: true });
    expect(sent).not.toHaveBeenCalled();
    await press(box, { key: "Enter" });
    expect(sent).toHaveBeenCalledExactlyOnceWith("r1", correction.text);
    expect(place.textContent).not.toContain("put away");
  });

  it("that is put away can be brought back, and outlives a reload", async () => {
    const place = await shown();
    const text = () => place.querySelector("textarea")?.value;
    await click(button("Correct the question"));
    await type(place.querySelector("textarea"), correction.text);
    await press(place.querySelector("textarea"), { key: "Escape" });
    expect(text()).toBeUndefined();
    await click(button("Undo"));
    expect(text()).toBe(correction.text);
    // As after a reload: drawn anew.
    await shown("r1", events.slice(0, begun.length - 1));
    expect(text()).toBe(correction.text);
    expect(document.activeElement).not.toBe(place.querySelector("textarea"));
    await type(place.querySelector("textarea"), "");
    await click(button("Cancel"));
    expect(place.textContent).not.toContain("put away");
    await shown();
    expect(text()).toBeUndefined();
  });

  it("that comes too late is offered as the next question, also after a reload", async () => {
    sent.mockRejectedValue(new Problem("refused", "too late: …", 409));
    const place = await shown();
    await click(button("Correct the question"));
    await type(place.querySelector("textarea"), correction.text);
    await click(button("Add to the question"));
    await shown(null, events);
    expect(place.textContent).toContain("Too late");
    drafts.write("c1", { content: "And where?" });
    await click(button("Use it as the next question"));
    expect(drafts.read("c1").content).toBe(`And where?\n\n${correction.text}`);
    expect(place.querySelector("textarea")).toBeNull();
    expect(sent).toHaveBeenCalledOnce();
  });
});
