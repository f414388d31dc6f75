import "../../styles/shortcuts.css";
import { useState } from "react";
import { t } from "../../i18n";
import { areOn, switchKeys } from "./keys";

/** Switches the shortcuts of a single key off and on, in this browser. */
export function ShortcutSwitch() {
  const [on, setOn] = useState(areOn);
  return (
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
  );
}
