import "../../styles/shortcuts.css";
import { useId, useState } from "react";
import { msg, t } from "../../i18n";
import { Icon } from "../../ui/icon";
import { useModal } from "../../ui/modal";
import { showHelp } from "./help";
import { areOn, groups, switchKeys } from "./keys";

const composerKeys = [
  ["Enter", msg("Ask")],
  ["Shift + Enter", msg("New line")],
] as const;
const settingsKeys = [["Ctrl + S", msg("Save the changes")]] as const;
const listKeys = [
  ["Up + Down", msg("Through the list of conversations")],
  ["F2", msg("Rename the conversation in focus")],
] as const;

/** What stands on the keys that have words on them. */
const keyNames = new Map([
  ["Ctrl", msg("Ctrl")],
  ["Down", msg("Down")],
  ["Enter", msg("Enter")],
  ["Shift", msg("Shift")],
  ["Up", msg("Up")],
]);

const shownKey = (key: string) => (/^[A-Z]$/.test(key) ? `Shift + ${key}` : key);

function Keys({ title, rows }: { title: string; rows: readonly (readonly [string, string])[] }) {
  const id = useId();
  return (
    <section aria-labelledby={id}>
      <h3 id={id}>{t(title)}</h3>
      <dl>
        {rows.map(([key, name]) => (
          <div key={name}>
            <dt>{t(name)}</dt>
            <dd>
              {key.split(" + ").map((part) => (
                <kbd key={part}>{t(keyNames.get(part) ?? part)}</kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

/** The keyboard shortcuts, and the switch for those of a single key. */
export default function ShortcutSheet() {
  const dialog = useModal();
  const [on, setOn] = useState(areOn);
  const id = useId();
  return (
    <dialog
      ref={dialog}
      className="shortcuts"
      aria-labelledby={id}
      onClose={() => showHelp(false)}
      onClick={(event) => {
        if (event.target === event.currentTarget) dialog.current?.close();
      }}
      onKeyDown={(event) => event.stopPropagation()}
    >
      <div className="shortcuts-body">
        <header>
          <h2 id={id}>{t("Keyboard shortcuts")}</h2>
          <button
            type="button"
            className="icon-button"
            aria-label={t("Close")}
            onClick={() => dialog.current?.close()}
          >
            <Icon name="close" />
          </button>
        </header>
        <div className="shortcuts-groups">
          {groups.map(({ title, shortcuts }) => (
            <Keys
              key={title}
              title={title}
              rows={[
                ...shortcuts.map(({ key, name }) => [shownKey(key), name] as const),
                ...(title === "Conversations"
                  ? ([["Ctrl + K", msg("Search, also while typing")], ...listKeys] as const)
                  : []),
              ]}
            />
          ))}
          <Keys title={msg("While typing a question")} rows={composerKeys} />
          <Keys title={msg("In the settings")} rows={settingsKeys} />
        </div>
        <label className="shortcuts-switch">
          <input
            type="checkbox"
            checked={on}
            onChange={(event) => {
              setOn(event.target.checked);
              switchKeys(event.target.checked);
            }}
          />
          <span>
            {t("Shortcuts of a single key")}
            <span className="shortcuts-hint">
              {t(
                "They never act while you type. Switch them off if speech input or another tool sends letters; Ctrl + K and ? stay.",
              )}
            </span>
          </span>
        </label>
      </div>
    </dialog>
  );
}
