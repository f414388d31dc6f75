import "../styles/confirm.css";
import { type ReactNode, useId, useRef } from "react";
import { Dialog } from "./dialog";
import { useModal } from "./modal";

interface Props {
  title: string;
  /** What will happen, and what will not. */
  children: ReactNode;
  /** The ways on; the first is the one that was asked for. */
  actions: readonly { label: string; tone?: "main" | "danger"; run: () => void }[];
  /** The way back: also Escape, and a click outside the dialog. It has the focus at first. */
  cancel: string;
  onCancel: () => void;
}

/**
 * Asks before something that cannot be taken back. The dialog is closed before anybody is told, and so
 * before it is no longer drawn: only closing gives the focus back to what had it.
 */
export function Confirm({ title, children, actions, cancel, onCancel }: Props) {
  const dialog = useModal();
  const id = useId();
  const chosen = useRef(onCancel);
  const leave = (by: () => void) => {
    chosen.current = by;
    dialog.current?.close();
  };
  return (
    <Dialog
      dialog={dialog}
      className="confirm"
      aria-labelledby={`${id}-title`}
      aria-describedby={`${id}-text`}
      onClose={() => chosen.current()}
    >
      <div className="confirm-body">
        <h2 id={`${id}-title`}>{title}</h2>
        <div id={`${id}-text`} className="confirm-text">
          {children}
        </div>
        <div className="confirm-actions">
          <button type="button" className="button" onClick={() => leave(onCancel)}>
            {cancel}
          </button>
          {actions.map(({ label, tone, run }) => (
            <button
              key={label}
              type="button"
              className={tone ? `button button-${tone}` : "button"}
              onClick={() => leave(run)}
            >
              {label}
            </button>
          ))}
        </div>
      </div>
    </Dialog>
  );
}
