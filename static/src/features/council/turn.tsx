import { memo } from "react";
import type { LiveRun } from "../../run/live";
import type { RunState } from "../../run/state";
import { Clamp } from "../../ui/clamp";
import { Icon } from "../../ui/icon";
import { Deliberation } from "./deliberation";

/** Up to here a question is set large, as a title of what follows. */
const shortQuestion = 220;

function Question({ text }: { text: string }) {
  if (text.length <= shortQuestion) return <p className="question question-short">{text}</p>;
  return (
    <Clamp label="The question" following={false}>
      <p className="question">{text}</p>
    </Clamp>
  );
}

interface Props {
  question: string;
  run: RunState | null;
  live: LiveRun | null;
  latest: boolean;
  onReattach: (runId: string) => void;
  onAskAgain: (question: string) => void;
}

export const TurnView = memo(function TurnView(props: Props) {
  const { question, run, live, latest, onReattach, onAskAgain } = props;
  const ended = run === null || run.status === "failed" || run.status === "cancelled";
  return (
    <section className="turn" aria-label={`Question: ${question.slice(0, 80)}`}>
      <h2 className="visually-hidden">Question</h2>
      <Question text={question} />
      {run ? (
        <Deliberation
          question={question}
          run={run}
          live={live}
          latest={latest}
          onReattach={() => run.runId && onReattach(run.runId)}
        />
      ) : (
        <p className="quiet">No deliberation was stored for this question.</p>
      )}
      {latest && ended && question !== "" && (
        <button type="button" className="button" onClick={() => onAskAgain(question)}>
          <Icon name="redo" />
          Ask again
        </button>
      )}
    </section>
  );
});
