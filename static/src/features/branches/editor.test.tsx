import { beforeEach, expect, it, vi } from "vitest";
import { identity } from "../../api/identity";
import { Problem } from "../../api/problem";
import { keys, queryClient } from "../../api/queries";
import { button, click, render, settled, type } from "../../test/render";
import { answer, config, seats, storedRun, synthesis } from "../../test/samples";
import { Toasts } from "../../ui/toast";
import { setRefusal } from "../asking/refusals";
import { start } from "../asking/session";
import { fromStored } from "../reducer";
import { editing } from "./editing";
import Editor from "./editor";

vi.mock(import("../asking/session"), async (original) => ({
  ...(await original()),
  start: vi.fn(),
}));

const place = (questionId: string) => ({
  conversationId: "c1",
  questionId,
  parentId: null,
  siblings: [],
  turn: 0,
});
const none = { run: null, live: null, seats: [], files: [] };

beforeEach(async () => {
  vi.mocked(start).mockClear();
  await identity.note("ann");
  queryClient.setQueryDefaults(keys.config, { enabled: false });
  queryClient.setQueryDefaults(keys.presets, { enabled: false });
  queryClient.setQueryData(keys.config, config);
});

it("a question to one member is asked of that member again, unless another is chosen", async () => {
  const [, basil] = seats;
  if (!basil) throw new Error("there is no seat");
  const fact = { code: "member_alone", member: "Basil" } as const;
  const stored = storedRun([answer(basil)], [], synthesis({ heading_fact: fact }));
  const run = fromStored(stored, "c1");
  const of = { run, live: null, seats: ["aurora/large"], files: [] };
  const page = await render(
    <Editor place={place("q2")} question="What do you mean?" {...of} />,
    queryClient,
  );
  const chosen = page.querySelector<HTMLSelectElement>("[aria-label='Who is asked']");
  expect(chosen?.selectedOptions[0]?.textContent).toBe("Only to Basil");
  await click(button("Ask"));
  expect(start).toHaveBeenCalledExactlyOnceWith(
    "c1",
    expect.objectContaining({ content: "What do you mean?", direct_to: "Basil" }),
    "q2",
  );
});

it("a question that was put away is no longer offered once another was asked in its place", async () => {
  const page = await render(
    <>
      <Editor place={place("q1")} question="What is a tide?" {...none} />
      <Toasts />
    </>,
    queryClient,
  );
  const box = () => page.querySelector("textarea");
  await type(box(), "What is a wave?");
  await click(button("Cancel"));
  await settled("The changed question was put away.");
  // Opened again, and asked.
  await type(box(), "What is a current?");
  await click(button("Ask"));
  expect(start).toHaveBeenCalledExactlyOnceWith(
    "c1",
    expect.objectContaining({ content: "What is a current?" }),
    "q1",
  );
  expect(page.textContent).not.toContain("put away");
});

it("the files of a question that was put away come back with it", async () => {
  const file = { id: "f1", filename: "tides.txt" };
  const page = await render(
    <>
      <Editor place={place("q7")} question="What is a tide?" {...none} files={[file]} />
      <Toasts />
    </>,
    queryClient,
  );
  await type(page.querySelector("textarea"), "What is a wave?");
  await click(button("Cancel"));
  await settled("The changed question was put away.");
  await click(button("Undo"));
  await click(button("Ask"));
  expect(start).toHaveBeenCalledExactlyOnceWith(
    "c1",
    expect.objectContaining({ content: "What is a wave?", attachments: [file] }),
    "q7",
  );
});

/** As they stand on the page: the question that is open, and below it the box for the next one. */
const pageWith = (questionId: string, key: string) => (
  <>
    <Editor key={key} place={place(questionId)} question="What is a tide?" {...none} />
    <form className="composer">
      <textarea aria-label="Your question" />
    </form>
  </>
);
const nextBox = () => document.querySelector<HTMLElement>("[aria-label='Your question']");

it("what is opened has the focus, and the box for the next question once it is asked", async () => {
  editing.open("c1", "q3");
  await render(pageWith("q3", "opened"), queryClient);
  expect(document.activeElement?.closest(".question-editor")).not.toBeNull();
  await click(button("Ask"));
  expect(document.activeElement).toBe(nextBox());
});

it("one that is drawn again, after a run or another reading, takes the focus from nobody", async () => {
  editing.open("c1", "q4");
  await render(pageWith("q4", "opened"), queryClient);
  nextBox()?.focus();
  await render(pageWith("q4", "again"), queryClient);
  expect(document.activeElement).toBe(nextBox());
});

it("nor does one that comes late from somebody who types elsewhere", async () => {
  await render(pageWith("q5", "before"), queryClient);
  const box = nextBox() as HTMLTextAreaElement;
  box.focus();
  box.value = "And a cur";
  editing.open("c1", "q5");
  await render(pageWith("q5", "late"), queryClient);
  expect(document.activeElement).toBe(box);
});

it("a refusal goes with the question that was refused", async () => {
  setRefusal("edit:q6", new Problem("refused", "Too much.", 402));
  const page = await render(pageWith("q6", "refused"), queryClient);
  expect(page.textContent).toContain("Not sent. Too much.");
  await click(button("Ask"));
  await render(pageWith("q6", "opened again"), queryClient);
  expect(page.textContent).not.toContain("Not sent.");
});
