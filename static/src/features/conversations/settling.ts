const lookEveryMs = 100;
/** Turns that were far away are drawn when they come near, and what is above a place may grow. */
const settledAfterMs = 3_000;
const byHand = ["wheel", "touchmove", "pointerdown", "keydown"] as const;

/**
 * Looks now and again until the page has settled, or the reader scrolls. Returns a function that stops it
 * earlier.
 */
export function untilSettled(look: () => void): () => void {
  look();
  const again = setInterval(look, lookEveryMs);
  const rest = () => {
    clearInterval(again);
    clearTimeout(settled);
    for (const what of byHand) removeEventListener(what, rest);
  };
  const settled = setTimeout(rest, settledAfterMs);
  for (const what of byHand) addEventListener(what, rest, { passive: true });
  return rest;
}

/** Whether nothing is between an element and the top of the page but its margin, or the page ends before that. */
function isAtTop(element: Element): boolean {
  const margin = Number.parseFloat(getComputedStyle(element).scrollMarginTop) || 0;
  const { scrollHeight } = document.documentElement;
  const { top } = element.getBoundingClientRect();
  return Math.abs(top - margin) < 4 || (top > margin && scrollY + innerHeight > scrollHeight - 4);
}

/**
 * Scrolls to the last of these, and again where what is drawn on the way has moved it. Returns a function that stops it.
 */
export function scrollToLast(list: Element, behavior: ScrollBehavior): () => void {
  let before = Number.NaN;
  const scroll = () => list.lastElementChild?.scrollIntoView({ block: "start", behavior });
  scroll();
  return untilSettled(() => {
    const last = list.lastElementChild;
    if (!last) return;
    const { top } = last.getBoundingClientRect();
    // While it still moves it is on its way.
    if (top === before && !isAtTop(last)) scroll();
    before = top;
  });
}
