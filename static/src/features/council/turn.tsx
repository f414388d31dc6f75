import { lazy, memo, Suspense, useContext, useMemo, useState } from "react";
import { t } from "../../i18n";
import { isLive, type RunState } from "../../run/state";
import { Clamp } from "../../ui/clamp";
import { Icon } from "../../ui/icon";
import { useNear } from "../../ui/near";
import { orMissing, orNothing } from "../../ui/part";
import { features } from "..";
import { AskAnewContext } from "../again/anew";
import { AskableContext } from "../again/context";
import type { LiveRun } from "../asking/runs";
import type { Asked } from "../attachments/chosen";
import type { AttachedFile, ReadFile } from "../attachments/question-files";
import { QuestionTools } from "../branches/question-tools";
import type { Choices } from "../feature";
import { UnderWayContext } from "../waiting/context";
import { Deliberation } from "./deliberation";
import { ReadOnly } from "./read-only";
import { TurnNumber } from "./turn-number";

// Few answers are asked for again.
const VersionSwitch = lazy(() => orNothing(import("../versions/switch")));
const EarlierAnswer = lazy(() => orMissing(import("../versions/earlier-answer")));

// Few questions are asked in another way.
const Editor = lazy(() => orMissing(import("../branches/editor")));

// Few questions come with files.
const QuestionFiles = lazy(() => orMissing(import("../attachments/question-files")));

const QuestionText = lazy(() => orMissing(import("./question-text")));
const hasFence = /^(?:```|~~~)/m;

/** The files of the question, for asking it once more. */
const again = (files: readonly AttachedFile[]): Asked | undefined =>
  files.length > 0 ? files.map(({ id, filename }) => ({ id, filename })) : undefined;

/** The question with its corrections. */
const wholeQuestion = (question: string, run: RunState): string =>
  features.reduce((text, { askedAnew }) => askedAnew?.(text, run) ?? text, question);

/** Up to here a question is set large, as a title of what follows. */
const shortQuestion = 220;

function Question({ text }: { text: string }) {
  if (text.length <= shortQuestion && !text.includes("\n"))
    return (
      <p dir="auto" className="question question-short">
        {text}
      </p>
    );
  const asTyped = (
    <p dir="auto" className="question">
      {text}
    </p>
  );
  return (
    <Clamp label={t("The question")} following={false}>
      {hasFence.test(text) ? (
        <Suspense fallback={asTyped}>
          <QuestionText text={text} />
        </Suspense>
      ) : (
        asTyped
      )}
    </Clamp>
  );
}

/** Which of a question's answers is shown: the latest, until another is chosen; and again that one
 * when it is asked for anew. */
function useVersion(run: RunState | null, earlier: readonly string[]) {
  const [chosen, choose] = useState<{ runId: string; beside: string | null } | null>(null);
  const beside = run?.runId ?? null;
  const runs = beside === null ? earlier : earlier.filter((runId) => runId !== beside);
  const place = chosen?.beside === beside ? runs.indexOf(chosen.runId) : -1;
  const count = runs.length + 1;
  return {
    count,
    at: place < 0 ? count : place + 1,
    show: (at: number) => {
      const runId = runs[at - 1];
      choose(runId === undefined ? null : { runId, beside });
    },
    earlierRun: place < 0 ? null : (runs[place] ?? null),
  };
}

/** The run, where it may be asked again. */
function useAskableRun(run: RunState | null, latest: boolean) {
  const open = run === null || !latest || isLive(run);
  const { runId = null, conversationId = null, messageId = null } = run ?? {};
  return useMemo(
    () => (open || !runId || !conversationId ? null : { runId, conversationId, messageId }),
    [open, runId, conversationId, messageId],
  );
}

interface Props {
  conversationId: string;
  /** Its place in the conversation, 1 is the first. */
  number: number;
  question: string;
  /** See {@link Place}; null where it cannot be asked in another way yet. */
  questionId: string | null;
  parentId: string | null;
  siblings: readonly string[];
  files: readonly AttachedFile[];
  /** The files of its project that it was read with. */
  ofProject: readonly ReadFile[];
  /** It is open to be asked in another way. */
  edited: boolean;
  /** Something is being written in this conversation. */
  running: boolean;
  /** Who has answered in the conversation: each may be asked alone. */
  seats: readonly string[];
  /** How often another branch took the place of this one here. */
  replaced: number;
  run: RunState | null;
  earlier: readonly string[];
  live: LiveRun | null;
  latest: boolean;
  /** Far up in a long conversation: its texts as written, until the reader comes near. */
  far: boolean;
  onReattach: (runId: string) => void;
  /** Asks the question again with what would be asked now, but for these choices. */
  onAskAgain: (question: string, choices?: Partial<Choices>, files?: Asked) => void;
}

export const TurnView = memo(function TurnView(props: Props) {
  const { number, question, run, earlier, live, latest, far, onReattach, onAskAgain } = props;
  const { conversationId, questionId, parentId, siblings, edited, running, replaced } = props;
  const { files, ofProject, seats } = props;
  const [place, near] = useNear<HTMLElement>(!far || live !== null);
  const version = useVersion(run, earlier);
  const askable = useAskableRun(run, latest);
  const readOnly = useContext(ReadOnly);
  const brief = run?.brief === true;
  const anew = run ? wholeQuestion(question, run) : question;
  const asked = useMemo(
    () => questionId && { conversationId, questionId, parentId, siblings, turn: number - 1 },
    [conversationId, questionId, parentId, siblings, number],
  );
  const askAnew = useMemo(
    () =>
      askable && question !== ""
        ? (choices: Partial<Choices>) => onAskAgain(anew, choices, again(files))
        : null,
    [askable, question, anew, files, onAskAgain],
  );
  return (
    <section
      ref={place}
      className={latest ? "turn" : "turn turn-past"}
      aria-label={t("Question {{number}}: {{question}}", {
        number,
        question: question.slice(0, 80),
      })}
    >
      <h2 className="visually-hidden">{t("Question")}</h2>
      {/* What was added to the question, and how it was asked, is known once the whole answer is. */}
      {asked && edited && !brief ? (
        <Suspense fallback={<Question text={question} />}>
          <Editor place={asked} question={anew} run={run} live={live} seats={seats} files={files} />
        </Suspense>
      ) : (
        <div className="asked">
          <Question text={question} />
          {files.length + ofProject.length > 0 && (
            <Suspense fallback={null}>
              <QuestionFiles files={files} ofProject={ofProject} />
            </Suspense>
          )}
          {asked ? (
            <QuestionTools place={asked} mayEdit={!running && !brief} />
          ) : (
            <div className="question-tools" />
          )}
        </div>
      )}
      {version.count > 1 && (
        <Suspense fallback={<div className="versions-wait" />}>
          <VersionSwitch at={version.at} count={version.count} onChange={version.show} />
        </Suspense>
      )}
      <TurnNumber key={replaced} value={latest ? null : number}>
        {version.earlierRun !== null ? (
          <Suspense fallback={<p className="quiet">{t("Loading this version…")}</p>}>
            <EarlierAnswer
              key={version.earlierRun}
              runId={version.earlierRun}
              question={question}
            />
          </Suspense>
        ) : run && (brief || !near) ? (
          <div className="final md-source" data-waits={brief ? "" : undefined}>
            {run.synthesis.text}
          </div>
        ) : run ? (
          <AskableContext value={askable}>
            <UnderWayContext value={latest && run.status === "running" ? run.runId : null}>
              <AskAnewContext value={askAnew}>
                <Deliberation
                  question={question}
                  run={run}
                  live={live}
                  latest={latest}
                  onReattach={() => run.runId && onReattach(run.runId)}
                />
              </AskAnewContext>
            </UnderWayContext>
          </AskableContext>
        ) : (
          <p className="quiet">{t("No deliberation was stored for this question.")}</p>
        )}
      </TurnNumber>
      {latest &&
        !readOnly &&
        question !== "" &&
        (run === null || (!isLive(run) && !run.runId && run.status !== "complete")) && (
          <button
            type="button"
            className="button"
            onClick={() => onAskAgain(anew, {}, again(files))}
          >
            <Icon name="redo" />
            {t("Ask again")}
          </button>
        )}
    </section>
  );
});
