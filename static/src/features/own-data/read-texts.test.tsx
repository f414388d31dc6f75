import { expect, it } from "vitest";
import type { Conversation } from "../../api/types";
import { render } from "../../test/render";
import { answer, seats, storedRun, synthesis } from "../../test/samples";
import ReadTexts from "./read-texts";

const answers = seats.map((seat) => answer(seat));
const whole = storedRun(answers, [], synthesis());
const corrected = {
  ...whole,
  metadata: { ...whole.metadata, corrections: [{ id: "k-1", text: "I mean the second one." }] },
};
const stopped = { ...whole, id: "m-2", status: "cancelled" as const, stage3: null };

const question = {
  id: "q1",
  role: "user" as const,
  content: "Who wrote it?",
  created_at: "2026-03-12T09:30:00.000000",
  parent_id: null,
};

const shown = (messages: object[]) =>
  render(<ReadTexts conversation={{ id: "c-1", messages } as Conversation} />);

it("names the files that a question came with, and says what was added to it", async () => {
  const attachments = [{ id: "f-1", filename: "draft.pdf" }];
  const project_files = [{ filename: "style.txt", characters: 10, characters_read: 10 }];
  const page = await shown([{ ...question, attachments, project_files }, corrected]);
  expect(page.textContent).toContain("Who wrote it?");
  expect(page.textContent).toContain("Files: draft.pdf, style.txt");
  expect(page.textContent).toContain("Correction: I mean the second one.");
  expect(page.textContent).toContain(whole.stage3?.response);
  expect(page.textContent).not.toContain("says so.");
});

it("shows what had arrived of a run that was stopped, and that it was", async () => {
  const page = await shown([question, stopped]);
  expect(page.textContent).toContain("The run was stopped. What had arrived is kept.");
  for (const { member } of seats) expect(page.textContent).toContain(`${member} says so.`);
});
