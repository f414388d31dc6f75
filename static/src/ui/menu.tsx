import { lazy, type ReactNode, Suspense, useId, useRef, useState } from "react";
import type { IconName } from "./icon";
import { orMissing } from "./part";

const MenuList = lazy(() => orMissing(import("./menu-list")));

export interface MenuItem {
  label: string;
  /** What it does, in a few words. */
  hint?: string;
  icon?: IconName;
  tone?: "bad";
  /** A file to download; otherwise `run` is called. */
  href?: string;
  run?: () => void;
}

interface Props {
  className: string;
  /** The button's name where its content has no text. */
  label?: string;
  items: readonly MenuItem[];
  /** Which edge of the button the list keeps to. */
  align?: "start" | "end";
  children: ReactNode;
}

/** A button that opens a list of things to do. The list is fetched when it is first wanted. */
export function MenuButton({ className, label, items, align = "start", children }: Props) {
  const [open, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const id = useId();
  return (
    <>
      <button
        ref={button}
        type="button"
        className={className}
        aria-label={label}
        aria-haspopup="menu"
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        onClick={() => setOpen(!open)}
        onKeyDown={(event) => {
          if (event.key !== "ArrowDown" || open) return;
          event.preventDefault();
          event.stopPropagation();
          setOpen(true);
        }}
      >
        {children}
      </button>
      {open && (
        <Suspense fallback={null}>
          <MenuList
            id={id}
            button={button}
            items={items}
            align={align}
            onClose={() => setOpen(false)}
          />
        </Suspense>
      )}
    </>
  );
}
