import type { ComponentProps, RefObject } from "react";
import { usePressBeside } from "./modal";

/**
 * A dialog over everything else, closed by Escape and by a press outside it. What is typed in it is
 * not heard around it.
 */
export function Dialog({
  dialog,
  onClose,
  onKeyDown,
  ...rest
}: { dialog: RefObject<HTMLDialogElement | null> } & Omit<
  ComponentProps<"dialog">,
  "ref" | "onClick"
>) {
  const beside = usePressBeside(() => dialog.current?.close());
  return (
    <dialog
      {...rest}
      {...beside}
      ref={dialog}
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
