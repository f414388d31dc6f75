import "../styles/dialog-head.css";
import type { ReactNode, RefObject } from "react";
import { t } from "../i18n";
import { Icon } from "./icon";

/** What a dialog is about, and the way out of it; `children` stand between the two. */
export function DialogHead({
  dialog,
  id,
  title,
  children,
}: {
  dialog: RefObject<HTMLDialogElement | null>;
  /** Of the heading, which the dialog is labelled by. */
  id: string;
  title: ReactNode;
  children?: ReactNode;
}) {
  return (
    <header className="dialog-head">
      <h2 id={id}>{title}</h2>
      {children}
      <button
        type="button"
        className="icon-button"
        aria-label={t("Close")}
        onClick={() => dialog.current?.close()}
      >
        <Icon name="close" />
      </button>
    </header>
  );
}
