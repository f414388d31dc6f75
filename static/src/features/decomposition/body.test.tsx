import { describe, expect, it } from "vitest";
import type { AssistantMessage, CouncilEvent, Schemas } from "../../api/types";
import { newRun, type RunState } from "../../run/state";
import { button, click, render, settled } from "../../test/render";
import { AskableContext } from "../again/context";
import { Deliberation } from "../council/deliberation";
import { fromStored, reduceAll } from "../reducer";
import { sentences } from "./facts";
import ballots from "./fixtures/ballots.json";
import skipped from "./fixtures/skipped.json";

const events = ballots.events as unknown as CouncilEvent[];
const message = ballots.message as unknown as AssistantMessage;

const show = (run: RunState) =>
  render(
    <AskableContext value={{ runId: "r1", conversationId: "c1", messageId: null }}>
      <Deliberation
        question="Tea?"
        run={{ ...run, runId: null }}
        live={null}
        latest
        onReattach={() => undefined}
      />
    </AskableContext>,
  );

const heads = (page: HTMLElement) => [
  ...page.querySelectorAll<HTMLButtonElement>(".part-head button"),
];
const upTo = (type: CouncilEvent["type"]) =>
  reduceAll(newRun, events.slice(0, events.findIndex((event) => event.type === type) + 1));

describe("a question in parts", () => {
  it("shows each part with its winner and why, and behind it all answers and the ballots", async () => {
    const page = await show(fromStored(message, "c1"));
    await settled("Question in parts");
    expect(heads(page)).toHaveLength(3);
    const winner = message.decomposition?.sub_results[0]?.best_member?.split("/")[1];
    expect(heads(page)[0]?.textContent).toContain(`${winner} · ranked best by the ballots`);
    expect(heads(page)[0]?.textContent).toContain("4 of 4 answered");
    expect(page.querySelectorAll(".answer")).toHaveLength(0);
    await click(heads(page)[0]);
    expect(page.querySelectorAll(".answer")).toHaveLength(4);
    expect(page.querySelector(".answer-best h4")?.textContent).toBe(winner);
    expect(page.querySelectorAll(".answer-best")).toHaveLength(1);
    expect(page.textContent).toContain("Ballots (4)");
  });

  it("says where it stands while it goes on", async () => {
    const looking = await show(upTo("decomposition_start"));
    await settled("Analysing…");
    expect(heads(looking)).toHaveLength(0);
    const generated = await show(upTo("sub_questions_generated"));
    await settled("to come");
    expect(heads(generated).every((head) => head.disabled)).toBe(true);
    const asking = await show(upTo("sub_council_response"));
    await settled("is being answered…");
    expect(asking.querySelector(".timeline-now")?.textContent).toBe("Parts0/3");
    const counts = heads(asking).map((head) => head.querySelector(".part-count")?.textContent);
    expect(counts.toSorted().at(-1)).toContain("1/4");
    const merging = await show(upTo("merge_token"));
    await settled("Merging…");
    expect(merging.querySelector(".timeline-now")?.textContent).toBe("Putting together");
  });

  it("offers to ask a member again where its answer to a part failed", async () => {
    const failing = structuredClone(message);
    const [part] = failing.decomposition?.sub_results ?? [];
    if (!part?.responses[0]) throw new Error("there is no answer");
    Object.assign(part.responses[0], { error: "cut", error_kind: "timeout", response: "" });
    const page = await show(fromStored(failing, "c1"));
    await settled("Question in parts");
    expect(heads(page)[0]?.textContent).toContain("3/4");
    await click(heads(page)[0]);
    await settled("Try again");
    expect(button("Try again: simulated/ada")).toBeTruthy();
  });

  it("says where nobody has answered a part", async () => {
    const failing = structuredClone(message);
    const [part] = failing.decomposition?.sub_results ?? [];
    for (const one of part?.responses ?? []) Object.assign(one, { error: "cut", response: "" });
    Object.assign(part ?? {}, { best_member: null, best_answer: null, picked_by: null });
    const page = await show(fromStored(failing, "c1"));
    await settled("2 of 3 parts answered");
    expect(heads(page)[0]?.textContent).toContain("nobody answered");
  });
});

it("a question that is left whole is shown as the council's, with the reason", async () => {
  const page = await show(fromStored(skipped.message as unknown as AssistantMessage, "c1"));
  expect(page.querySelector(".run-note")?.textContent).toBe(
    "Not taken apart It has no parts worth asking apart. The council answers the question whole.Simulated: by single words of the question.",
  );
  expect(page.querySelectorAll(".answer")).toHaveLength(4);
  expect(page.querySelector(".parts")).toBeNull();
});

it.each<[Schemas["SkipFact"], string]>([
  [{ code: "not_sure", confidence: 0.55 }, "Whether it has parts is only 55% sure; 60% is needed."],
  [
    { code: "not_split", model: "a/b", reason: { error: "no answer", error_kind: "timeout" } },
    "b could not name its parts: no answer came in time.",
  ],
  [
    { code: "too_few_parts", count: 1 },
    "Only 1 part was found, and it takes two to ask them separately.",
  ],
])("says why: $code", (fact, text) => {
  const say = sentences[fact.code] as (fact: Schemas["SkipFact"]) => string;
  expect(say(fact)).toBe(text);
});
