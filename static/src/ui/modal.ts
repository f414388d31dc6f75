import { useEffect, useRef } from "react";

/** For a dialog that is modal for as long as it is drawn. What had the focus before gets it back, unless the focus is elsewhere by then. */
export function useModal() {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    dialog.current?.showModal();
    return () => {
      // The browser does so only where a dialog is closed before it is removed.
      if (before instanceof HTMLElement && document.activeElement === document.body) {
        before.focus({ preventScroll: true });
      }
    };
  }, []);
  return dialog;
}
