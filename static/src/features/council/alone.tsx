/** A seat that was asked alone: its answer is the final one, and is shown as that, with what its card would have said. */
import { t } from "../../i18n";
import { Markdown } from "../../markdown/markdown";
import type { AnswerState, RunState } from "../../run/state";
import { Details } from "../../ui/disclosure";
import { features } from "..";
import { Flags } from "./answer-card";
import { CardNotes } from "./card-notes";

/** The one answer of a run whose final answer is that and nothing else; null in every other run. */
export function aloneIn({ answers, synthesis }: RunState): AnswerState | null {
  const [answer] = answers;
  if (!answer || answers.length > 1) return null;
  // What a feature shows in a way of its own has more on its card than the text.
  if (features.some(({ answerBody }) => answerBody?.(answer))) return null;
  const isAlone = synthesis.result?.heading_fact?.code === "member_alone";
  return isAlone && answer.text === synthesis.text ? answer : null;
}

export function AloneNotes({ answer }: { answer: AnswerState }) {
  return (
    <>
      <Flags answer={answer} />
      <CardNotes said={answer} round={null} />
      {answer.reasoning && (
        <Details title={t("Reasoning")}>{() => <Markdown text={answer.reasoning} />}</Details>
      )}
    </>
  );
}
