import { type FocusEvent, useLayoutEffect, useRef } from "react";

const controls = "button:not(:disabled), summary, a[href], input, select, textarea";

/**
 * For a part of the page in which what has the focus may go: a row that is taken away, a button that has done its work. The
 * focus then goes on in its place, to a control of the same row or of the one that has moved up there, to the row
 * where it has none, and to the heading where there is no row.
 */
export function useKeptFocus<T extends HTMLElement>() {
  const place = useRef<T>(null);
  const had = useRef<{ list: Element | null; at: number } | null>(null);
  // After every drawing: what goes is told by no event, since React hears none while it takes something away.
  useLayoutEffect(() => {
    if (!had.current || document.activeElement !== document.body) return;
    const { list, at } = had.current;
    const rows = list?.isConnected ? [...list.children] : [];
    const row = rows[Math.min(at, rows.length - 1)];
    const next = row
      ? (row.querySelector<HTMLElement>(controls) ?? row)
      : place.current?.querySelector("h1, h2, h3");
    if (!(next instanceof HTMLElement)) return;
    if (!next.matches(controls)) next.tabIndex = -1;
    next.focus();
  });
  return {
    ref: place,
    onFocus: ({ target }: FocusEvent) => {
      const row = target.closest("li, tr");
      const list = row?.parentElement ?? null;
      had.current = { list, at: row && list ? [...list.children].indexOf(row) : 0 };
    },
    onBlur: ({ relatedTarget, currentTarget }: FocusEvent) => {
      const goesOn = relatedTarget instanceof Node && currentTarget.contains(relatedTarget);
      if (!goesOn) had.current = null;
    },
  };
}
