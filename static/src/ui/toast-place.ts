/**
 * Where short messages stand: as low on the screen as they can without lying over the page's heading, over where somebody types or
 * saves, or over the control that has the focus.
 */
import { type RefObject, useLayoutEffect } from "react";

/** What they never cover; what floats above the composer is part of it. */
const kept = "h1, .dialog-head, .composer-box, .composer-dock, .dock-floats, .save-bar";
/** What can be pressed or typed into: a page or a dialog that has the focus is none of these. */
const controls = "a[href], button, input, select, textarea, summary";

const gapPx = 12;

type Box = Pick<DOMRectReadOnly, "top" | "bottom" | "left" | "right">;

/**
 * The lowest upper edge at which a box as high and as wide as `own` stands between these two heights and covers none of `others`;
 * at the bottom where there is no such place.
 */
export function lowest(
  own: Pick<Box, "left" | "right"> & { height: number },
  [top, bottom]: readonly [top: number, bottom: number],
  others: readonly Box[],
): number {
  const last = bottom - gapPx - own.height;
  // From the bottom up, each one in the way lifts it, and none that it has passed is in the way again.
  const place = others
    .filter((one) => one.left < own.right && one.right > own.left)
    .toSorted((one, other) => other.bottom - one.bottom)
    .reduce(
      (at, one) =>
        one.top < at + own.height && one.bottom > at ? one.top - gapPx - own.height : at,
      last,
    );
  return place >= top ? place : last;
}

/** What is not to be covered now. */
function inTheWay(own: HTMLElement): Box[] {
  const around = own.closest("dialog") ?? document;
  const focused = document.activeElement;
  const all = [
    ...around.querySelectorAll(kept),
    ...(focused?.matches(controls) && !own.contains(focused) ? [focused] : []),
  ].map((one) => one.getBoundingClientRect());
  // What is empty, hidden, or there for those alone who hear it.
  return all.filter(({ width, height }) => width > 1 && height > 1);
}

function place(own: HTMLElement) {
  const { left, right, height } = own.getBoundingClientRect();
  // A keyboard on glass leaves less of the page to be seen.
  const seen = window.visualViewport;
  const top = seen?.offsetTop ?? 0;
  const margin = Number.parseFloat(getComputedStyle(own).marginBottom) || 0;
  const bottom = top + (seen?.height ?? innerHeight) - margin;
  own.style.top = `${lowest({ left, right, height }, [top, bottom], inTheWay(own))}px`;
  own.style.bottom = "auto";
}

/** Keeps a region of messages in its place, whatever is scrolled, typed or given the focus meanwhile. */
export function usePlace(region: RefObject<HTMLElement | null>) {
  // At every drawing: with each message that comes or goes there is another region to place.
  useLayoutEffect(() => {
    const own = region.current;
    if (!own || own.childElementCount === 0) return;
    const again = () => place(own);
    again();
    const grown = new ResizeObserver(again);
    grown.observe(own);
    for (const one of document.querySelectorAll(`main, ${kept}`)) grown.observe(one);
    const until = new AbortController();
    const { signal } = until;
    document.addEventListener("focusin", again, { signal });
    addEventListener("scroll", again, { capture: true, passive: true, signal });
    addEventListener("resize", again, { signal });
    window.visualViewport?.addEventListener("resize", again, { signal });
    window.visualViewport?.addEventListener("scroll", again, { signal });
    return () => {
      grown.disconnect();
      until.abort();
    };
  });
}
