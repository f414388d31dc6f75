import "../../styles/shortcuts.css";
import { t } from "../../i18n";
import { recognition, useDictation, wantDictation } from "./wanted";

/** Puts a microphone into the box, in this browser; nothing where it cannot listen. */
export function DictationSwitch() {
  const on = useDictation((state) => state.on);
  if (!recognition()) return null;
  return (
    <label className="shortcuts-switch">
      <input
        type="checkbox"
        checked={on}
        onChange={(event) => wantDictation(event.target.checked)}
      />
      <span>
        {t("Dictation")}
        <span className="shortcuts-hint">
          {t(
            "A microphone in the box for your question writes down what you say, and sends nothing. To turn it into text, browsers may send your voice to their maker; this server gets only the text.",
          )}
        </span>
      </span>
    </label>
  );
}
