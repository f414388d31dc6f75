import { type FormEvent, useEffect, useId, useRef, useState } from "react";
import { correct } from "../../api/corrections";
import { t } from "../../i18n";
import { useAttempt } from "../../ui/attempt";
import { count } from "../../ui/format";
import { Notice } from "../../ui/notice";

/** As many characters as the server takes. */
const most = 4_000;

interface Props {
  /** Null where the run takes nothing in any more. */
  runId: string | null;
  onClose: () => void;
}

/** What is to be added to the question. What was typed stays where it came too late. */
export function Form({ runId, onClose }: Props) {
  const id = useId();
  const box = useRef<HTMLTextAreaElement>(null);
  const [text, setText] = useState("");
  const { busy, problem, attempt } = useAttempt();
  useEffect(() => box.current?.focus(), []);
  const length = text.length > most * 0.9 ? [...text].length : 0;

  const add = async (event?: FormEvent) => {
    event?.preventDefault();
    if (runId === null || text.trim() === "") return;
    await attempt(async () => {
      await correct(runId, text);
      onClose();
    });
  };
  return (
    <form className="question-correction-form" onSubmit={add}>
      <label htmlFor={id}>{t("Correction")}</label>
      <textarea
        ref={box}
        id={id}
        className="input"
        rows={3}
        dir="auto"
        value={text}
        aria-describedby={`${id}-hint`}
        aria-invalid={length > most}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.nativeEvent.isComposing) return;
          if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) void add();
          if (event.key === "Escape") {
            event.stopPropagation();
            onClose();
          }
        }}
      />
      <p id={`${id}-hint`} className="quiet">
        {t(
          "Whoever reviews the answers and writes the final one reads it with the question. The members have been asked already.",
        )}
        {length > 0 && (
          <span className={length > most ? "counter counter-over" : "counter"}>
            {t("{{length}} of {{limit}} characters", {
              length: count(length),
              limit: count(most),
            })}
          </span>
        )}
      </p>
      {(problem || runId === null) && (
        <Notice tone="bad" urgent>
          {problem && problem.status !== 409
            ? t("Not added: {{reason}}", { reason: problem.message })
            : t("Too late: the answers are being judged already. Ask it as the next question.")}
        </Notice>
      )}
      <div className="question-correction-actions">
        <button
          type="submit"
          className="button button-main"
          aria-disabled={busy || runId === null || text.trim() === "" || length > most}
        >
          {busy ? t("Adding…") : t("Add to the question")}
        </button>
        <button type="button" className="button" onClick={onClose}>
          {t("Cancel")}
        </button>
      </div>
    </form>
  );
}
