import { act, useState } from "react";
import { beforeEach, expect, it, vi } from "vitest";
import { queryClient } from "../../api/queries";
import { button, click, render, settled, type } from "../../test/render";
import type { Choices } from "../feature";
import Choose from "./choose";

let chosen: Partial<Choices>;

function Form({ begins }: { begins: Partial<Choices> }) {
  const [choices, setChoices] = useState(begins);
  chosen = choices;
  return (
    <>
      <Choose
        choices={choices as Choices}
        question="Why is the sky blue?"
        onChange={(change) => setChoices({ ...choices, ...change })}
      />
      <button type="button" onClick={() => setChoices({ rubric: null })}>
        Ask
      </button>
    </>
  );
}

const text = () => document.querySelector("textarea");
const choose = (select: HTMLSelectElement | null, value: string) =>
  act(async () => {
    if (!select) throw new Error("there is no choice");
    select.value = value;
    select.dispatchEvent(new Event("change", { bubbles: true }));
  });

beforeEach(() => {
  queryClient.clear();
  let drafts = 0;
  vi.spyOn(globalThis, "fetch").mockImplementation(async (path) => {
    if (!String(path).endsWith("/draft")) {
      return Response.json({ entries: [], total: 0, id: "ann" });
    }
    drafts += 1;
    return Response.json({ text: `- Draft ${drafts}`, model: "a/b" });
  });
});

async function draft(made: string) {
  await click(button("Draft one from the question"));
  await vi.waitFor(() => expect(text()?.value).toBe(made));
}
const back = () => button("Bring back what stood here before");

it("a draft takes the place of nothing that could not come back", async () => {
  await render(<Form begins={{ rubric: { text: "- Mine" } }} />);
  await draft("- Draft 1");
  await settled("Drafted by");
  await type(text(), "- Draft 1, changed");
  await draft("- Draft 2");
  await click(back());
  expect(text()?.value).toBe("- Draft 1, changed");
  expect(document.activeElement).toBe(text());
  await click(back());
  expect(text()?.value).toBe("- Mine");
  expect(chosen.rubric).toEqual({ text: "- Mine" });
  await click(back());
  expect(text()?.value).toBe("- Draft 2");
});

it("where nothing was written, nothing is offered", async () => {
  await render(<Form begins={{ rubric: null }} />);
  await draft("- Draft 1");
  expect(back()).toBeUndefined();
});

it("what was written is not shown as chosen once it has gone with its question", async () => {
  await render(<Form begins={{ rubric: null }} />);
  const select = document.querySelector("select");
  await choose(select, "here");
  await type(text(), "- Mine");
  expect(chosen.rubric).toEqual({ text: "- Mine" });
  await click(button("Ask"));
  expect([select?.value, text()]).toEqual(["", null]);
  // It is at hand for the next one all the same.
  await choose(select, "here");
  expect(chosen.rubric).toEqual({ text: "- Mine" });
});
