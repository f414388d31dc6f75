import "../styles/confirm.css";
import "../styles/settings.css";
import "../styles/form-dialog.css";
import { type ReactNode, useEffect, useId, useRef } from "react";
import { Dialog } from "./dialog";
import { DialogHead } from "./dialog-head";
import { useModal } from "./modal";
import { Toasts } from "./toast";

/** A dialog with a form in it, closed by its button, by Escape, and by a press outside it. */
export function FormDialog({
  title,
  onClose,
  children,
}: {
  title: string;
  onClose: () => void;
  children: ReactNode;
}) {
  const dialog = useModal();
  const id = useId();
  const begun = useRef(false);
  // The focus goes to what the dialog is about, and not to the way out, which stands first; also where that is fetched first.
  useEffect(() => {
    if (begun.current) return;
    const find = (what: string) => dialog.current?.querySelector<HTMLElement>(what);
    const field = find("input:checked") ?? find("input");
    begun.current = Boolean(field);
    field?.focus();
  });
  return (
    <Dialog dialog={dialog} className="confirm form-dialog" aria-labelledby={id} onClose={onClose}>
      <div className="confirm-body">
        <DialogHead dialog={dialog} id={id} title={title} />
        {children}
      </div>
      <Toasts />
    </Dialog>
  );
}
