import { lazy, type ReactNode, type RefObject, Suspense, useId, useRef, useState } from "react";
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

/** Where an open list stands, and its end. */
export interface MenuPlace {
  id: string;
  button: RefObject<HTMLButtonElement | null>;
  /** Which edge of the button the list keeps to. */
  align: "start" | "end";
  onClose: () => void;
}

interface Props extends Partial<Pick<MenuPlace, "align">> {
  className: string;
  /** The button's name where its content has no text. */
  label?: string;
  items?: readonly MenuItem[];
  /** Draws the list where what is in it comes with it. */
  list?: (place: MenuPlace) => ReactNode;
  children: ReactNode;
}

/** A button that opens a list of things to do. The list is fetched when it is first wanted. */
export function MenuButton(props: Props) {
  const { className, label, items = [], list, align = "start", children } = props;
  const [open, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const id = useId();
  const place = { id, button, align, onClose: () => setOpen(false) };
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
          {list ? list(place) : <MenuList {...place} items={items} />}
        </Suspense>
      )}
    </>
  );
}
