import type { ComponentProps, RefObject } from "react";

/** A dialog over everything else, closed by Escape and by a press beside it. What is typed in it is not heard around it. */
export function Dialog({
  dialog,
  onClose,
  onKeyDown,
  ...rest
}: { dialog: RefObject<HTMLDialogElement | null> } & Omit<
  ComponentProps<"dialog">,
  "ref" | "onClick"
>) {
  return (
    <dialog
      {...rest}
      ref={dialog}
      onClick={(event) => {
        if (event.target === event.currentTarget) dialog.current?.close();
      }}
      onClose={(event) => {
        // React passes on the events of a dialog inside this one.
        if (event.target === event.currentTarget) onClose?.(event);
      }}
      onKeyDown={(event) => {
        onKeyDown?.(event);
        event.stopPropagation();
      }}
    />
  );
}
