import type { Conversation } from "../../api/types";
import { t } from "../../i18n";
import { Markdown } from "../../markdown/markdown";
import type { RunState } from "../../run/state";
import { listText } from "../../ui/format";
import { describeRun } from "../council/describe";
import { storedTurns, type Turn } from "../council/turns";
import { textsOf } from "../formats";
import { correctionsOf } from "../question-corrections/state";

/** What has arrived where there is no final answer. */
const Arrived = ({ run }: { run: RunState }) =>
  textsOf(run)
    .filter(({ text }) => text !== "")
    .map(({ seat, text }, at) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: it is stored, and stays as it is
      <div key={at}>
        <p>
          <strong>{seat.member}</strong>
        </p>
        <Markdown text={text} />
      </div>
    ));

function Answer({ run }: { run: RunState }) {
  const { status, synthesis } = run;
  return (
    <>
      {status !== "complete" && <p className="quiet">{describeRun(run)}</p>}
      {synthesis.text ? <Markdown text={synthesis.text} /> : <Arrived run={run} />}
    </>
  );
}

function Asked({ turn: { question, files, ofProject, run } }: { turn: Turn }) {
  const names = [...files, ...ofProject].map(({ filename }) => filename);
  return (
    <>
      {question !== "" && (
        <p className="read-question" dir="auto">
          {question}
        </p>
      )}
      {names.length > 0 && (
        <p className="access-facts" dir="auto">
          {t("Files: {{names}}", { names: listText(names) })}
        </p>
      )}
      {run &&
        correctionsOf(run).map(({ id, text }) => (
          <p key={id} className="read-question" dir="auto">
            {t("Correction: {{text}}", { text })}
          </p>
        ))}
    </>
  );
}

/** The questions of a conversation with all that they came with, and what was answered. */
export default function ReadTexts({ conversation }: { conversation: Conversation }) {
  return (
    <div className="read-texts">
      {storedTurns(conversation).map((turn) => (
        <section key={turn.key}>
          <Asked turn={turn} />
          {turn.run && <Answer run={turn.run} />}
        </section>
      ))}
    </div>
  );
}
