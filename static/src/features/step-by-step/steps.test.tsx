import { expect, it } from "vitest";
import { answerFrom } from "../../run/parts";
import { render } from "../../test/render";
import { answer, seats } from "../../test/samples";
import { AnswerCard } from "../council/answer-card";

const [seat = { model: "", member: "" }] = seats;
const cot = {
  thinking: "It is asked why.",
  analysis: "Light scatters.",
  conclusion: "It scatters.",
};

it("an answer in steps shows its conclusion, and folds what led to it", async () => {
  const page = await render(<AnswerCard answer={answerFrom(answer(seat, { cot }))} seat={0} />);
  const folded = [...page.querySelectorAll("summary")].map(({ textContent }) => textContent);
  expect(folded).toEqual(["Thinking", "Analysis"]);
  expect(page.textContent).toContain("It scatters.");
  expect(page.textContent).not.toContain("says so.");
});

it("a plain answer is shown as it is", async () => {
  const page = await render(<AnswerCard answer={answerFrom(answer(seat))} seat={0} />);
  expect(page.querySelector("summary")).toBeNull();
  expect(page.textContent).toContain("says so.");
});
