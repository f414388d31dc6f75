import { useEffect, useId, useRef, useState } from "react";
import { t } from "../../i18n";
import { isForInputMethod } from "../../ui/composing";
import { count } from "../../ui/format";
import { keptInTab } from "../../ui/kept";
import { toast } from "../../ui/toast";

/** The longest comment the server takes, in characters. */
const longest = 2000;

interface Props {
  runId: string;
  comment: string | null;
  /** Somebody has just pressed what opens it, and is to see all of it. */
  isNew: boolean;
  onSay: (comment: string | null) => void;
}

/** What was wrong, optional: a field, or what was said with the ways to change it. */
export function Comment({ runId, comment, isNew, onSay }: Props) {
  const id = useId();
  const place = useRef<HTMLFormElement>(null);
  const key = `comment:${runId}`;
  useEffect(() => {
    if (isNew) place.current?.scrollIntoView({ block: "nearest" });
  }, [isNew]);
  // What is half typed outlives the other thumb, and a reload.
  const [typed, setText] = useState(() => keptInTab.read(key) ?? "");
  const [changing, setChanging] = useState(comment !== null && typed !== "");
  const [seen, setSeen] = useState(comment);
  // Another one than what is typed, from elsewhere or because that was not taken: the field stays.
  if (comment !== seen) {
    setSeen(comment);
    if (comment !== null && typed !== "" && typed.trim() !== comment) setChanging(true);
  }
  const setTyped = (text: string) => {
    setText(text);
    keptInTab.write(key, text === "" || text === comment ? null : text);
  };
  // The server counts characters, not UTF-16 units.
  const length = typed.length > longest * 0.9 ? [...typed].length : 0;
  const tooLong = length > longest;
  // What had the focus is about to go.
  const focus = (selector: string) =>
    requestAnimationFrame(() => place.current?.querySelector<HTMLElement>(selector)?.focus());
  const save = () => {
    const said = typed.trim();
    if (tooLong || (said === "" && comment === null)) return;
    setChanging(false);
    // It stays in the field in case it is not taken.
    keptInTab.write(key, null);
    onSay(said || null);
    focus(said ? "[data-change]" : "textarea");
  };
  const keep = () => {
    setChanging(false);
    setTyped("");
    focus("[data-change]");
    if (typed === comment) return;
    const bringBack = () => {
      setTyped(typed);
      setChanging(true);
    };
    toast(t("The changed comment was put away."), {
      action: { label: t("Undo"), run: bringBack },
    });
  };
  const isOpen = comment === null || changing;
  return (
    <form
      ref={place}
      className="feedback-comment"
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      {isOpen ? (
        <>
          <label htmlFor={id}>{t("What was wrong?")}</label>
          <textarea
            id={id}
            className="input"
            rows={2}
            value={typed}
            aria-describedby={`${id}-who`}
            aria-invalid={tooLong}
            onChange={({ target }) => setTyped(target.value)}
            onKeyDown={(event) => {
              if (isForInputMethod(event.nativeEvent)) return;
              if (event.key === "Enter" && !event.shiftKey) {
                event.preventDefault();
                save();
              } else if (event.key === "Escape" && changing) {
                event.stopPropagation();
                keep();
              }
            }}
          />
          <div className="feedback-said">
            <p id={`${id}-who`} className="quiet">
              {t("You need not say anything, and only you can read it.")}
              {length > 0 && (
                <span className={tooLong ? "counter counter-over" : "counter"}>
                  {" "}
                  {t("{{length}} of {{limit}} characters", {
                    length: count(length),
                    limit: count(longest),
                  })}
                </span>
              )}
            </p>
            {changing && (
              <button type="button" className="quiet-button" onClick={keep}>
                {t("Cancel")}
              </button>
            )}
            <button
              type="submit"
              className="quiet-button"
              disabled={tooLong || (comment === null && typed.trim() === "")}
            >
              {t("Save")}
            </button>
          </div>
        </>
      ) : (
        <>
          <p className="feedback-label">{t("What was wrong?")}</p>
          <p className="feedback-text">{comment}</p>
          <div className="feedback-said">
            <button
              type="button"
              className="quiet-button"
              data-change
              aria-label={t("Change the comment")}
              onClick={() => {
                setTyped(comment);
                setChanging(true);
                focus("textarea");
              }}
            >
              {t("Change")}
            </button>
            <button
              type="button"
              className="quiet-button"
              aria-label={t("Remove the comment")}
              onClick={() => {
                setTyped("");
                onSay(null);
                focus("textarea");
              }}
            >
              {t("Remove")}
            </button>
          </div>
        </>
      )}
    </form>
  );
}
