import { lazy, Suspense, useEffect, useRef } from "react";
import type { RunState } from "../../run/state";
import { useMedia } from "../../ui/media";
import { showMonitor, useMonitor } from "./store";

const Monitor = lazy(() => import("./monitor"));
const close = () => showMonitor(false);

function Sheet({ run }: { run: RunState }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog
      ref={dialog}
      className="sheet monitor-sheet"
      aria-label="Process log"
      onClose={close}
      onClick={(event) => {
        if (event.target === event.currentTarget) dialog.current?.close();
      }}
      onKeyDown={(event) => event.stopPropagation()}
    >
      <Suspense fallback={<p className="quiet">Loading…</p>}>
        <Monitor run={run} onClose={() => dialog.current?.close()} />
      </Suspense>
    </dialog>
  );
}

/** The process monitor of a run: beside the page where there is room, else a sheet over it. */
export function ProcessLog({ run }: { run: RunState | null }) {
  const open = useMonitor((state) => state.open);
  const narrow = useMedia("(max-width: 859px)");
  if (!open || !run?.hasLog) return null;
  if (narrow) return <Sheet run={run} />;
  return (
    <aside className="monitor" aria-label="Process log">
      <Suspense fallback={<p className="quiet">Loading…</p>}>
        <Monitor run={run} onClose={close} />
      </Suspense>
    </aside>
  );
}
