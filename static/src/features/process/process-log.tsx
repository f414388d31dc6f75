import { lazy, Suspense } from "react";
import { t } from "../../i18n";
import type { RunState } from "../../run/state";
import { Dialog } from "../../ui/dialog";
import { useMedia } from "../../ui/media";
import { useModal } from "../../ui/modal";
import { orMissing } from "../../ui/part";
import { showMonitor, useMonitor } from "./store";

const Monitor = lazy(() => orMissing(import("./monitor")));
const close = () => showMonitor(false);

function Sheet({ run }: { run: RunState }) {
  const dialog = useModal();
  return (
    <Dialog
      dialog={dialog}
      className="sheet monitor-sheet"
      aria-label={t("Process log")}
      onClose={close}
    >
      <Suspense fallback={<p className="quiet">{t("Loading…")}</p>}>
        <Monitor run={run} onClose={() => dialog.current?.close()} />
      </Suspense>
    </Dialog>
  );
}

/** The process monitor of a run: next to the page where there is room, else a sheet over it. */
export function ProcessLog({ run }: { run: RunState | null }) {
  const open = useMonitor((state) => state.open);
  const narrow = useMedia("(max-width: 859px)");
  if (!open || !run?.hasLog) return null;
  if (narrow) return <Sheet run={run} />;
  return (
    <aside className="monitor" aria-label={t("Process log")}>
      <Suspense fallback={<p className="quiet">{t("Loading…")}</p>}>
        <Monitor run={run} onClose={close} />
      </Suspense>
    </aside>
  );
}
