import { type KeyboardEvent, useId, useRef, useState } from "react";
import type { AnswerState } from "../../run/state";
import { shortName } from "../../ui/format";
import { useMedia } from "../../ui/media";
import { AnswerCard } from "./answer-card";

/** One at a time on a narrow screen, with the arrow keys of the tabs pattern. */
function Tabs({ answers }: { answers: readonly AnswerState[] }) {
  const [at, setAt] = useState(0);
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const shown = answers[Math.min(at, answers.length - 1)];
  const move = (event: KeyboardEvent) => {
    const last = answers.length - 1;
    const next = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: last }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    const to = next < 0 ? last : next > last ? 0 : next;
    setAt(to);
    list.current?.querySelectorAll<HTMLElement>("[role=tab]")[to]?.focus();
  };
  if (!shown) return null;
  return (
    <>
      <div ref={list} className="tabs" role="tablist" aria-label="Members" onKeyDown={move}>
        {answers.map((answer, index) => (
          <button
            key={answer.seat.member}
            type="button"
            role="tab"
            id={`${id}-tab-${index}`}
            aria-selected={index === at}
            aria-controls={`${id}-panel`}
            tabIndex={index === at ? 0 : -1}
            onClick={() => setAt(index)}
          >
            <span className={`tab-dot status-${answer.status}`} aria-hidden="true" />
            {shortName(answer.seat.member)}
            {answer.tier !== null && <span className="tier">tier {answer.tier}</span>}
            {answer.status === "failed" && <span className="visually-hidden"> (failed)</span>}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-tab-${at}`}>
        <AnswerCard key={shown.seat.member} answer={shown} seat={at} />
      </div>
    </>
  );
}

export function Answers({ answers }: { answers: readonly AnswerState[] }) {
  const narrow = useMedia("(max-width: 859px)");
  if (narrow) return <Tabs answers={answers} />;
  return (
    <div className="answers" data-count={answers.length}>
      {answers.map((answer, seat) => (
        <AnswerCard key={answer.seat.member} answer={answer} seat={seat} />
      ))}
    </div>
  );
}
