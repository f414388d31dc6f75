import "../../styles/shortcuts.css";
import { useId } from "react";
import { msg, t } from "../../i18n";
import { Dialog } from "../../ui/dialog";
import { DialogHead } from "../../ui/dialog-head";
import { useModal } from "../../ui/modal";
import { showHelp } from "./help";
import { groups } from "./keys";
import { ShortcutSwitch } from "./switch";

const composerKeys = [
  ["Enter", msg("Ask")],
  ["Shift + Enter", msg("New line")],
  ["Up + Down", msg("In an empty box: questions from before, and back")],
  ["Esc", msg("Leave the box: letters are shortcuts again")],
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
  ["Esc", msg("Esc")],
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
  const id = useId();
  return (
    <Dialog
      dialog={dialog}
      className="shortcuts"
      aria-labelledby={id}
      onClose={() => showHelp(false)}
    >
      <div className="shortcuts-body">
        <DialogHead dialog={dialog} id={id} title={t("Keyboard shortcuts")} />
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
        <ShortcutSwitch />
      </div>
    </Dialog>
  );
}
