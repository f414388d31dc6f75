import { useId, useRef, useState } from "react";
import { t } from "../../i18n";

/** The longest comment the server takes, in characters. */
const longest = 2000;

interface Props {
  comment: string | null;
  onSay: (comment: string | null) => void;
}

/** What was wrong, for whoever wants to say it: a field, or what was said with the ways to change it. */
export function Comment({ comment, onSay }: Props) {
  const id = useId();
  const place = useRef<HTMLFormElement>(null);
  const [typed, setTyped] = useState("");
  const [changing, setChanging] = useState(false);
  // What had the focus is about to go.
  const focus = (selector: string) =>
    requestAnimationFrame(() => place.current?.querySelector<HTMLElement>(selector)?.focus());
  const save = () => {
    const said = typed.trim();
    if (said === "" && comment === null) return;
    setChanging(false);
    onSay(said || null);
    focus(said ? "[data-change]" : "textarea");
  };
  const keep = () => {
    setChanging(false);
    setTyped("");
    focus("[data-change]");
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
            maxLength={longest}
            value={typed}
            aria-describedby={`${id}-who`}
            onChange={({ target }) => setTyped(target.value)}
            onKeyDown={(event) => {
              if (event.nativeEvent.isComposing) return;
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
              {t("You need not say it, and only you can read it.")}
            </p>
            {changing && (
              <button type="button" className="quiet-button" onClick={keep}>
                {t("Cancel")}
              </button>
            )}
            <button
              type="submit"
              className="quiet-button"
              disabled={comment === null && typed.trim() === ""}
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
