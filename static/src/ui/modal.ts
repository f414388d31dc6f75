import { type MouseEvent, type PointerEvent, useEffect, useRef } from "react";

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

/**
 * For a dialog that is closed by a press beside it. One that begins inside and ends beside it is none: whoever marks a text with the
 * mouse lets go wherever that is, and browsers call it a click on the dialog.
 */
export function usePressBeside(close: () => void) {
  const isInside = useRef(false);
  return {
    onPointerDown: ({ target, currentTarget }: PointerEvent) => {
      isInside.current = target !== currentTarget;
    },
    onClick: ({ target, currentTarget }: MouseEvent) => {
      if (target === currentTarget && !isInside.current) close();
    },
  };
}
