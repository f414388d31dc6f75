import { beforeEach, expect, it } from "vitest";
import { identity } from "../../api/identity";
import { button, click, render } from "../../test/render";
import { kept } from "../../ui/kept";
import { Toasts } from "../../ui/toast";
import { next } from "../asking/next";
import { files } from "../attachments/chosen";
import { drafts } from "./draft";
import { WaitingQuestions } from "./waiting";

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
  expect(next.read("c1").map(({ body }) => body.attachments)).toEqual([[notes, plan]]);
  const place = await render(<WaitingQuestions id="c1" running={true} />);
  expect(place.textContent).toContain("With notes.md, plan.pdf");
  await click(button("Edit"));
  expect(drafts.read("c1").content).toBe("What do these say?\n\nAnd what not?");
  expect(files.of("c1").map(({ name }) => name)).toEqual(["notes.md", "plan.pdf"]);
  expect(next.read("c1")).toEqual([]);
});

it("one that goes without the files of the question before comes back without them", async () => {
  files.offer("c2", [notes]);
  expect(files.of("c2").map(({ fromBefore }) => fromBefore)).toEqual([true]);
  files.remove("c2", "a1");
  next.add("c2", { content: "Without?" });
  files.clear("c2");
  expect(files.of("c2")).toHaveLength(1);
  await render(<WaitingQuestions id="c2" running={true} />);
  await click(button("Edit"));
  expect(files.of("c2")).toEqual([]);
});

it("each says whom it is for, and those for different ones stay apart", async () => {
  next.add("c3", { content: "What do you mean?", direct_to: "Basil" });
  next.add("c3", { content: "And why?", direct_to: "Basil" });
  next.add("c3", { content: "What do all say?" });
  const place = await render(<WaitingQuestions id="c3" running={true} />);
  const shown = [...place.querySelectorAll("li")].map((one) => one.textContent);
  expect(shown).toEqual([
    expect.stringMatching(/^Only to Basil · Asked as soon as.*What do you mean\?\s+And why\?/s),
    expect.stringMatching(/^To the council · Asked after the question before it.*What do all say/s),
  ]);
  await click(button("Edit"));
  const { content, to } = drafts.read("c3");
  expect([content, to]).toEqual(["What do you mean?\n\nAnd why?", "Basil"]);
  expect(next.read("c3").map(({ body }) => body)).toEqual([{ content: "What do all say?" }]);
});

it("one that is removed comes back to its place", async () => {
  next.add("c4", { content: "First?", direct_to: "Basil" });
  next.add("c4", { content: "Second?" });
  const place = await render(
    <>
      <WaitingQuestions id="c4" running={false} />
      <Toasts />
    </>,
  );
  await click(button("Remove the next question"));
  expect(place.querySelectorAll("li")).toHaveLength(1);
  await click(button("Undo"));
  expect(next.read("c4").map(({ body }) => body.content)).toEqual(["First?", "Second?"]);
});

it("a rubric that was written for it comes back with it", async () => {
  const rubric = { text: "- Brief" };
  next.add("c5", { content: "Why?", rubric });
  await render(<WaitingQuestions id="c5" running={true} />);
  await click(button("Edit"));
  expect(drafts.read("c5").choices).toEqual({ rubric });
});

it("a rubric that was written for it stays when another question is added to it", () => {
  const rubric = { text: "- Brief" };
  next.add("c7", { content: "Why?", rubric });
  next.add("c7", { content: "And how?" });
  const whole = { content: "Why?\n\nAnd how?", rubric };
  expect(next.read("c7").map(({ body }) => body)).toEqual([whole]);
});

it("one that an earlier release has kept is there", async () => {
  const waiting = { body: { content: "Why?" }, idempotencyKey: "k1" };
  kept.write("next:c6", JSON.stringify(waiting));
  expect(next.read("c6")).toEqual([waiting]);
});
