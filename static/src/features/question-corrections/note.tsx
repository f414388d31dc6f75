import "../../styles/question-corrections.css";
import { useRef, useState } from "react";
import { t } from "../../i18n";
import type { RunState } from "../../run/state";
import { useUnderWay } from "../waiting/context";
import { Form } from "./form";
import { correctionsOf, isOpen } from "./state";

/** What was added to the question, and the way to add something as long as that is possible. */
export function Corrections({ run }: { run: RunState }) {
  const runId = useUnderWay();
  const [writes, setWrites] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const corrections = correctionsOf(run);
  const open = runId !== null && isOpen(run);
  if (corrections.length === 0 && !open && !writes) return null;
  const close = () => {
    setWrites(false);
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
      {writes ? (
        <Form runId={open ? runId : null} onClose={close} />
      ) : (
        open && (
          <button
            ref={button}
            type="button"
            className="quiet-button"
            title={t(
              "Whoever reviews the answers and writes the final one reads it with the question. The members have been asked already.",
            )}
            onClick={() => setWrites(true)}
          >
            {t("Correct the question")}
          </button>
        )
      )}
    </div>
  );
}
