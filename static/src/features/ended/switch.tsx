import { useState } from "react";
import { t } from "../../i18n";
import { canNotify, canPush, useHere } from "./notify";
import { switchNotifications } from "./offer";

/** An app on the Home Screen may notify there, a page in the browser may not. */
const isPageOnApple = () =>
  /\b(?:iPhone|iPad|iPod)\b/.test(navigator.userAgent) && !("PushManager" in window);

function hint(): string {
  if (isPageOnApple())
    return t(
      "First add this page to the Home Screen, by “Share” in the browser, and open it there.",
    );
  if (!canNotify()) return t("This browser does not allow notifications here.");
  return canPush()
    ? t("It tells you when you are elsewhere, with this page closed as well.")
    : t("It tells you when you are elsewhere, as long as a tab of this page is open.");
}

/** Whether this browser tells of answers. */
export function NotifySwitch() {
  const on = useHere((state) => state.on);
  const [busy, setBusy] = useState(false);
  return (
    <label className="shortcuts-switch">
      <input
        type="checkbox"
        checked={on}
        disabled={!on && !canNotify()}
        aria-busy={busy}
        onChange={async (event) => {
          if (busy) return;
          setBusy(true);
          await switchNotifications(event.target.checked);
          setBusy(false);
        }}
      />
      <span>
        {t("In this browser")}
        <span className="shortcuts-hint">{hint()}</span>
      </span>
    </label>
  );
}
