import { act } from "react";
import { describe, expect, it, vi } from "vitest";
import type { AssistantMessage, CouncilEvent } from "../../api/types";
import { newRun, type RunState } from "../../run/state";
import { button, click, render, settled } from "../../test/render";
import { Deliberation } from "../council/deliberation";
import { fromStored, reduceAll } from "../reducer";
import allToAll from "./fixtures/all-to-all.json";
import rotation from "./fixtures/rotation.json";

const show = (run: RunState) =>
  render(
    <Deliberation
      question="Why?"
      run={{ ...run, runId: null }}
      live={null}
      latest
      onReattach={() => undefined}
    />,
  );

const stored = (message: unknown) => fromStored(message as AssistantMessage, "c1");
const links = (element: Element | null | undefined) =>
  [...(element?.querySelectorAll(".said-links a") ?? [])].map((one) => one.textContent);
const toggles = (page: HTMLElement) => [...page.querySelectorAll<HTMLElement>(".said-toggle")];

describe("a debate in rotation", () => {
  it("shows the judgment first, then who moved, then round after round", async () => {
    const page = await show(stored(rotation.message));
    await settled("Round 3 · Rebuttals");
    const text = page.textContent ?? "";
    const places = ["Most convincing", "Debate in rotation", "Who moved", "Round 1 · Positions"];
    expect(places.map((one) => text.indexOf(one))).toEqual(
      places.map((one) => text.indexOf(one)).toSorted((a, b) => a - b),
    );
    expect(page.querySelector(".moves")?.textContent).toContain("changed after D");
    expect(page.querySelector(".moves")?.textContent).toContain("not changed");
    expect(button("The openings, ranked blind")?.getAttribute("aria-expanded")).toBe("false");
  });

  it("leads from a critique to what it is about, by keys alone", async () => {
    vi.stubGlobal("requestAnimationFrame", (run: () => void) => run());
    Element.prototype.scrollIntoView = () => undefined;
    const page = await show(stored(rotation.message));
    await settled("Round 3 · Rebuttals");
    const [opening, , , , critique] = [...page.querySelectorAll(".said")];
    expect(links(critique)).toEqual(["B"]);
    expect(links(opening)).toEqual(["D"]);
    await click(critique?.querySelector(".said-links a"));
    expect(document.activeElement).toBe(toggles(page)[1]);
    const press = (key: string) =>
      act(async () => {
        document.activeElement?.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
      });
    await press("ArrowDown");
    expect(document.activeElement).toBe(toggles(page)[2]);
    await press("k");
    await press("k");
    expect(document.activeElement).toBe(toggles(page)[0]);
    await click(toggles(page)[0]);
    expect(toggles(page)[0]?.getAttribute("aria-expanded")).toBe("false");
    expect(opening?.querySelector(".said-beginning")?.textContent).not.toBe("");
  });

  it("says where it stands while it goes on", async () => {
    const events = rotation.events as unknown as CouncilEvent[];
    const at = events.findIndex(({ type }) => type === "debate_critique_token");
    const page = await show(reduceAll(newRun, events.slice(0, at + 1)));
    await settled("Round 2 of 3 · Critiques");
    const steps = [...page.querySelectorAll(".debate-steps li")];
    expect(steps.map((step) => step.className)).toEqual([
      "timeline-done",
      "timeline-now",
      "timeline-ahead",
      "timeline-ahead",
    ]);
    expect(steps[1]?.textContent).toContain("0/4");
    expect(page.querySelector(".said-writing .status")?.textContent).toBe("speaking");
    expect(page.querySelector(".moves")).toBeNull();
    expect(steps[3]?.textContent).toContain("(to come)");
    const stopped: CouncilEvent[] = [...events.slice(0, at + 1), { type: "cancelled" }];
    const over = await show(reduceAll(newRun, stopped));
    await settled("(not reached)");
    expect(over.querySelector(".debate-steps")?.textContent).not.toContain("to come");
  });

  it("leads to the judgment of its own turn", async () => {
    const page = await render(
      [rotation, allToAll].map(({ message }) => (
        <Deliberation
          key={message.id}
          question="Why?"
          run={{ ...stored(message), runId: null }}
          live={null}
          latest={false}
          onReattach={() => undefined}
        />
      )),
    );
    await settled("Debate of all with all");
    const seen: Element[] = [];
    Element.prototype.scrollIntoView = function (this: Element) {
      seen.push(this);
    };
    await click(button("Judgment"));
    expect(seen).toEqual([page.querySelector(".final")]);
  });

  it("has each speaker in its own colour, also where another one fell silent", async () => {
    const message = structuredClone(rotation.message) as unknown as AssistantMessage;
    for (const { responses } of message.rounds ?? []) {
      for (const one of responses) if (one.label === "A") one.position = null;
    }
    const page = await show(stored(message));
    await settled("Who moved");
    const colours = (of: string) =>
      [...page.querySelectorAll(`${of} .monogram`)].map((one) => one.className);
    expect(colours(".moves")).toEqual(colours(".said-head").slice(1, 4));
  });
});

describe("a debate of all with all", () => {
  it("shows each critique under whom it is about, and answer and defence apart", async () => {
    const page = await show(stored(allToAll.message));
    await settled("Round 3 · Revised answers");
    const heads = [...page.querySelectorAll(".said-part h5")].map((one) => one.textContent);
    expect(heads.slice(0, 3)).toEqual(["On B", "On C", "On D"]);
    expect(heads.slice(-2)).toEqual(["To its critics", "Its answer now"]);
  });
});
