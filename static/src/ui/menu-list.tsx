import "../styles/menu.css";
import { type KeyboardEvent, useEffect, useLayoutEffect, useRef } from "react";
import { Icon } from "./icon";
import type { MenuItem, MenuPlace } from "./menu";

const marginPx = 8;

/** Under the button, or above it where there is more room; never beyond the window. */
function place(list: HTMLElement, button: HTMLElement, align: "start" | "end") {
  const at = button.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = list;
  const below = at.bottom + 4;
  const top = below + height + marginPx <= innerHeight ? below : at.top - height - 4;
  const fits = at.left + width + marginPx <= innerWidth;
  const left = align === "start" && fits ? at.left : at.right - width;
  list.style.top = `${Math.max(marginPx, Math.min(top, innerHeight - height - marginPx))}px`;
  list.style.left = `${Math.max(marginPx, Math.min(left, innerWidth - width - marginPx))}px`;
}

interface Props extends MenuPlace {
  items: readonly MenuItem[];
}

/** The list of a menu button: above everything, with the keys of the menu pattern. */
export default function MenuList({ id, button, items, align, onClose }: Props) {
  const list = useRef<HTMLDivElement>(null);
  const entries = () => [...(list.current?.querySelectorAll<HTMLElement>("[role=menuitem]") ?? [])];

  useLayoutEffect(() => {
    const [element, anchor] = [list.current, button.current];
    if (!element || !anchor) return;
    element.showPopover?.();
    const again = () => place(element, anchor, align);
    again();
    element.querySelector<HTMLElement>("[role=menuitem]")?.focus({ preventScroll: true });
    addEventListener("scroll", again, { capture: true, passive: true });
    addEventListener("resize", again);
    return () => {
      removeEventListener("scroll", again, { capture: true });
      removeEventListener("resize", again);
    };
  }, [button, align]);

  useEffect(() => {
    const away = ({ target }: PointerEvent) => {
      if (!(target instanceof Node)) return;
      if (!list.current?.contains(target) && !button.current?.contains(target)) onClose();
    };
    addEventListener("pointerdown", away, { capture: true });
    return () => removeEventListener("pointerdown", away, { capture: true });
  }, [button, onClose]);

  const leave = () => {
    onClose();
    button.current?.focus({ preventScroll: true });
  };

  const onKeyDown = (event: KeyboardEvent) => {
    // What is around it (a drawer, a form, the page's shortcuts) has its own meaning for these.
    event.stopPropagation();
    if (event.key === "Escape" || event.key === "Tab") {
      event.preventDefault();
      leave();
      return;
    }
    const all = entries();
    const at = all.indexOf(document.activeElement as HTMLElement);
    const last = all.length - 1;
    const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: last }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    all[next < 0 ? last : next > last ? 0 : next]?.focus();
  };

  return (
    <div
      ref={list}
      id={id}
      className="menu"
      popover="manual"
      role="menu"
      tabIndex={-1}
      aria-label={button.current?.getAttribute("aria-label") ?? button.current?.textContent ?? ""}
      onKeyDown={onKeyDown}
    >
      {items.map(({ label, hint, icon, tone, href, run }) => {
        const content = (
          <>
            {icon && <Icon name={icon} />}
            <span className="menu-text">
              {label}
              {hint && <span className="menu-hint">{hint}</span>}
            </span>
          </>
        );
        const shared = {
          role: "menuitem",
          tabIndex: -1,
          className: tone === "bad" ? "menu-item menu-bad" : "menu-item",
        };
        if (href !== undefined) {
          return (
            <a key={label} {...shared} href={href} download onClick={leave}>
              {content}
            </a>
          );
        }
        return (
          <button
            key={label}
            type="button"
            {...shared}
            onClick={() => {
              // The focus is back at the button before what was chosen moves it further.
              leave();
              run?.();
            }}
          >
            {content}
          </button>
        );
      })}
    </div>
  );
}
