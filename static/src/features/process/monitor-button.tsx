import { t } from "../../i18n";
import type { RunState } from "../../run/state";
import { Icon } from "../../ui/icon";
import { showMonitor, useMonitor } from "./store";

/** Opens and closes the log of a run, where there is one. */
export function MonitorButton({ run }: { run: RunState }) {
  const open = useMonitor((state) => state.open);
  if (!run.hasLog) return null;
  return (
    <button
      type="button"
      className="quiet-button monitor-button"
      aria-expanded={open}
      onClick={() => showMonitor(!open)}
    >
      <Icon name="log" />
      {open ? t("Close the process log") : t("Process log")}
      {run.notes.length > 0 && (
        <span className="quiet">{t("{{count, number}} entries", { count: run.notes.length })}</span>
      )}
    </button>
  );
}
