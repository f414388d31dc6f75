import { type FormEvent, useEffect, useId, useRef, useState } from "react";
import { correct } from "../../api/corrections";
import { msg, t } from "../../i18n";
import { useAttempt } from "../../ui/attempt";
import { isForInputMethod } from "../../ui/composing";
import { count } from "../../ui/format";
import { useMedia } from "../../ui/media";
import { Notice } from "../../ui/notice";
import { toast } from "../../ui/toast";
import { drafts } from "../composer/draft";
import { focusComposer, keysOnGlass } from "../composer/focus";
import { typed } from "./typed";

/** As many characters as the server takes. */
const most = 4_000;

interface Props {
  runId: string;
  conversationId: string | null;
  /** Whether the run takes something in still. */
  open: boolean;
  /** It was asked for: otherwise it is there again after a reload, and takes the focus from nobody. */
  isAsked: boolean;
  onClose: () => void;
  /** Opens it again, with what is kept. */
  onReopen: () => void;
}

/** What is to be added to the question. What was typed outlives a reload, and is the next question where it comes too late. */
export function Form({ runId, conversationId, open, isAsked, onClose, onReopen }: Props) {
  const id = useId();
  const box = useRef<HTMLTextAreaElement>(null);
  const [text, setText] = useState(() => typed.read(runId));
  const { busy, problem, attempt } = useAttempt();
  const onGlass = useMedia(keysOnGlass);
  useEffect(() => {
    if (isAsked) box.current?.focus();
  }, [isAsked]);
  const length = text.length > most * 0.9 ? [...text].length : 0;
  const isLate = !open || problem?.status === 409;
  const isFilled = text.trim() !== "";

  const write = (next: string) => {
    setText(next);
    typed.write(runId, next);
  };
  const askNext = () => {
    const content = [drafts.read(conversationId).content, text].filter(Boolean).join("\n\n");
    drafts.write(conversationId, { content });
    typed.write(runId, "");
    onClose();
    focusComposer();
  };
  const add = async (event?: FormEvent) => {
    event?.preventDefault();
    if (!isFilled) return;
    if (isLate) return askNext();
    await attempt(async () => {
      await correct(runId, text);
      typed.write(runId, "");
      onClose();
    });
  };
  const cancel = () => {
    typed.write(runId, "");
    onClose();
    if (!isFilled) return;
    const bringBack = () => {
      typed.write(runId, text);
      onReopen();
    };
    toast(t("The correction was put away."), { action: { label: t("Undo"), run: bringBack } });
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
        enterKeyHint={onGlass ? "enter" : "send"}
        onChange={(event) => write(event.target.value)}
        onKeyDown={(event) => {
          if (isForInputMethod(event.nativeEvent)) return;
          if (event.key === "Escape") {
            event.stopPropagation();
            cancel();
          }
          // As in the box for questions.
          const sends = !event.shiftKey && (!onGlass || event.ctrlKey || event.metaKey);
          if (event.key !== "Enter" || !sends) return;
          event.preventDefault();
          void add();
        }}
      />
      <p id={`${id}-hint`} className="quiet">
        {t(
          "Whoever reviews the answers and writes the final one reads it with the question. The members have been asked already.",
        )}
        {!onGlass && (
          <span className="visually-hidden">
            {" "}
            {t("Enter sends, Shift and Enter starts a new line.")}
          </span>
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
      {(problem || isLate) && (
        <Notice tone="bad" urgent>
          {problem && !isLate
            ? t("Not added: {{reason}}", { reason: problem.message })
            : t("Too late: the answers are being judged already. Ask it as the next question.")}
        </Notice>
      )}
      <div className="question-correction-actions">
        <button
          type="submit"
          className="button button-main"
          aria-disabled={busy || !isFilled || (!isLate && length > most)}
        >
          {t(
            busy
              ? msg("Adding…")
              : isLate
                ? msg("Use it as the next question")
                : msg("Add to the question"),
          )}
        </button>
        <button type="button" className="button" onClick={cancel}>
          {t("Cancel")}
        </button>
      </div>
    </form>
  );
}
