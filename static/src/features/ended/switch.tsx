import { useState } from "react";
import { t } from "../../i18n";
import { canNotify, wants } from "./notify";
import { switchNotifications } from "./offer";

/** Whether this browser tells of answers. */
export function NotifySwitch() {
  const [on, setOn] = useState(wants);
  return (
    <label className="shortcuts-switch">
      <input
        type="checkbox"
        checked={on}
        disabled={!canNotify()}
        onChange={async (event) => setOn(await switchNotifications(event.target.checked))}
      />
      <span>
        {t("Notifications")}
        <span className="shortcuts-hint">
          {canNotify()
            ? t("The browser tells you when an answer is there and you are elsewhere.")
            : t("This browser does not allow notifications here.")}
        </span>
      </span>
    </label>
  );
}
