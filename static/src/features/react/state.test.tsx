import { describe, expect, it } from "vitest";
import type { CouncilEvent } from "../../api/types";
import { newRun } from "../../run/state";
import { readEvent } from "../../stream/decode";
import { deliberation } from "../../test/deliberation";
import { button, click, settled } from "../../test/render";
import { answer, seats, storedRun, synthesis, wholeRun } from "../../test/samples";
import { found } from "../../test/sources";
import { describeRun } from "../council/describe";
import { toMarkdown } from "../export/markdown";
import { fromStored, reduceAll } from "../reducer";
import { checksOf } from "./state";

const model = "cedar/pro";
const answers = seats.map((seat) => answer(seat));
const whole = wholeRun(answers, [], synthesis());
const final = whole.findIndex(({ type }) => type === "stage3_start");
const checks: CouncilEvent[] = [
  { type: "react_thought", model, iteration: 1, thought: "Who is right?" },
  { type: "react_action", model, iteration: 1, action: "search_web", query: "bees" },
  { type: "react_observation", model, iteration: 1, observation: "Three km.", sources: [found(7)] },
  { type: "react_thought", model, iteration: 2, thought: "That settles it." },
  { type: "react_action", model, iteration: 2, action: "synthesize" },
];
const steps = [
  {
    model,
    iteration: 1,
    thought: "Who is right?",
    action: "search_web" as const,
    query: "bees",
    observation: "Three km.",
    sources: [7],
  },
  { model, iteration: 2, thought: "That settles it.", action: "synthesize" as const, sources: [] },
];
const upTo = (count: number) =>
  reduceAll(newRun, [...whole.slice(0, final), ...checks.slice(0, count)]);

describe("what the chairman checks", () => {
  it("looks the same live and stored", () => {
    const live = reduceAll(newRun, [...whole.slice(0, final), ...checks, ...whole.slice(final)]);
    const message = storedRun(answers, [], synthesis());
    const stored = { ...message, metadata: { ...message.metadata, react: steps } };
    expect(checksOf(live)).toEqual(checksOf(fromStored(stored, "c1")));
  });

  it("happens in the place of the final answer", () => {
    expect(upTo(1).synthesis.status).toBe("writing");
    expect([1, 2, 3, 5].map((count) => describeRun(upTo(count)))).toEqual([
      "The chairman checks what it is to write.",
      "The chairman searches the web.",
      "The chairman checks what it is to write.",
      "The chairman has checked what it wanted to, and writes.",
    ]);
  });

  it("is folded above the answer, and opens to thought, search and what was found", async () => {
    const page = await deliberation({ react: steps, sources: [found(7)] });
    await settled("The chairman checked");
    expect(page.querySelector(".check")).toBeNull();
    await click(button("The chairman checked"));
    expect(page.querySelector(".check")?.textContent).toContain("Who is right?");
    expect(page.querySelector(".check q")?.textContent).toBe("bees");
    await click(page.querySelector(".check summary"));
    await settled("Title 7");
    const text = page.querySelector(".final")?.textContent ?? "";
    expect(text.indexOf("Who is right?")).toBeLessThan(text.indexOf("Together"));
  });

  it("is copied", () => {
    const message = storedRun(answers, [], synthesis());
    const run = fromStored({ ...message, metadata: { ...message.metadata, react: steps } }, "c1");
    expect(toMarkdown("Bees?", run)).toContain(
      "## The chairman checked\n\nWho is right?\n\n**Search: bees**",
    );
  });

  it("breaks nothing when fields are missing", () => {
    const bare = checks.map(({ type }) => readEvent(JSON.stringify({ type })) as CouncilEvent);
    expect(() => reduceAll(newRun, bare)).not.toThrow();
  });
});
