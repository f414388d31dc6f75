import "../../styles/question-corrections.css";
import { useEffect, useRef, useState, useSyncExternalStore } from "react";
import { identity } from "../../api/identity";
import { t } from "../../i18n";
import type { RunState } from "../../run/state";
import { useUnderWay } from "../waiting/context";
import { Form } from "./form";
import { correctionsOf, isOpen } from "./state";
import { typed } from "./typed";

/** What was added to the question, and the way to add something as long as that is possible. */
export function Corrections({ run }: { run: RunState }) {
  const runId = useUnderWay();
  const [writes, setWrites] = useState<"no" | "asked" | "again">("no");
  const button = useRef<HTMLButtonElement>(null);
  const corrections = correctionsOf(run);
  const open = runId !== null && isOpen(run);
  // What was typed before a reload, once it is known whose it is.
  const isKnown = useSyncExternalStore(identity.subscribe, identity.user) !== null;
  const ownId = run.runId;
  useEffect(() => {
    if (isKnown && ownId !== null && typed.read(ownId) !== "") setWrites("again");
  }, [isKnown, ownId]);
  const isWritten = writes !== "no" && ownId !== null;
  if (corrections.length === 0 && !open && !isWritten) return null;
  const close = () => {
    setWrites("no");
    requestAnimationFrame(() => button.current?.focus());
  };
  return (
    <div className="question-corrections">
      {corrections.length > 0 && (
        <ul aria-label={t("Corrections of the question")}>
          {corrections.map(({ id, text }) => (
            <li key={id}>
              <span className="question-correction-name">{t("Correction")}</span>
              <p dir="auto">{text}</p>
            </li>
          ))}
        </ul>
      )}
      {isWritten ? (
        <Form
          runId={ownId}
          conversationId={run.conversationId}
          open={open}
          isAsked={writes === "asked"}
          onClose={close}
          onReopen={() => setWrites("asked")}
        />
      ) : (
        open && (
          <button
            ref={button}
            type="button"
            className="quiet-button"
            title={t(
              "Whoever reviews the answers and writes the final one reads it with the question. The members have been asked already.",
            )}
            onClick={() => setWrites("asked")}
          >
            {t("Correct the question")}
          </button>
        )
      )}
    </div>
  );
}
