import type { RunState } from "../../run/state";
import { plural } from "../../ui/format";
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
      {open ? "Close the process log" : "Process log"}
      {run.notes.length > 0 && (
        <span className="quiet">{plural(run.notes.length, "entry", "entries")}</span>
      )}
    </button>
  );
}
