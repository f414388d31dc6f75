import { beforeEach, expect, it } from "vitest";
import { identity } from "../../api/identity";
import { button, click, render } from "../../test/render";
import { next } from "../asking/next";
import { files } from "../attachments/chosen";
import { drafts } from "./draft";
import { WaitingQuestion } from "./waiting";

const notes = { id: "a1", filename: "notes.md" };
const plan = { id: "b2", filename: "plan.pdf" };

beforeEach(async () => {
  await identity.note("ann");
  localStorage.clear();
  sessionStorage.clear();
});

it("a question that waits names its files once, whatever is added to it, and gives them back", async () => {
  next.add("c1", { content: "What do these say?", attachments: [notes, plan] });
  next.add("c1", { content: "And what not?", attachments: [notes] });
  expect(next.read("c1")?.body.attachments).toEqual([notes, plan]);
  const place = await render(<WaitingQuestion id="c1" running={true} />);
  expect(place.textContent).toContain("With notes.md, plan.pdf");
  await click(button("Edit"));
  expect(drafts.read("c1").content).toBe("What do these say?\n\nAnd what not?");
  expect(files.of("c1").map(({ name }) => name)).toEqual(["notes.md", "plan.pdf"]);
  expect(next.read("c1")).toBeNull();
});

it("one that goes without the files of the question before comes back without them", async () => {
  files.offer("c2", [notes]);
  expect(files.of("c2").map(({ fromBefore }) => fromBefore)).toEqual([true]);
  files.remove("c2", "a1");
  next.add("c2", { content: "Without?" });
  files.clear("c2");
  expect(files.of("c2")).toHaveLength(1);
  await render(<WaitingQuestion id="c2" running={true} />);
  await click(button("Edit"));
  expect(files.of("c2")).toEqual([]);
});
