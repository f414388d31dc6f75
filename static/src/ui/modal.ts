import { useEffect, useRef } from "react";

/** For a dialog that is modal for as long as it is drawn. */
export function useModal() {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return dialog;
}
