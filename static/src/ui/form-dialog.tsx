import "../styles/confirm.css";
import "../styles/settings.css";
import "../styles/form-dialog.css";
import { type ReactNode, useEffect, useId } from "react";
import { t } from "../i18n";
import { Icon } from "./icon";
import { useModal } from "./modal";
import { Toasts } from "./toast";

/** A dialog with a form in it, closed by its button, by Escape, and by a press beside it. */
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
  // What it is about comes before the way out, which stands first.
  useEffect(() => {
    const find = (what: string) => dialog.current?.querySelector<HTMLElement>(what);
    (find("input:checked") ?? find("input"))?.focus();
  }, [dialog]);
  return (
    <dialog
      ref={dialog}
      className="confirm form-dialog"
      aria-labelledby={id}
      onClose={onClose}
      onClick={(event) => {
        if (event.target === event.currentTarget) dialog.current?.close();
      }}
      onKeyDown={(event) => event.stopPropagation()}
    >
      <div className="confirm-body">
        <header className="form-dialog-head">
          <h2 id={id}>{title}</h2>
          <button
            type="button"
            className="icon-button"
            aria-label={t("Close")}
            onClick={() => dialog.current?.close()}
          >
            <Icon name="close" />
          </button>
        </header>
        {children}
      </div>
      <Toasts />
    </dialog>
  );
}
