import { beforeEach, expect, it, vi } from "vitest";
import { identity } from "../../api/identity";
import { keys, queryClient } from "../../api/queries";
import { button, click, render, settled, type } from "../../test/render";
import { answer, config, seats, storedRun, synthesis } from "../../test/samples";
import { Toasts } from "../../ui/toast";
import { start } from "../asking/session";
import { fromStored } from "../reducer";
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
