/**
 * What has the focus is about to go, with its place in a list: its counterpart in the next place gets the
 * focus, or that in the place before; in an empty list `otherwise`. A place may be a button itself.
 */
export const passFocusOn = (place: Element | null, selector: string, otherwise?: string) =>
  focusAfter(place, selector, otherwise)();

/** The same in two steps: the target is found now, and the function that is returned moves the focus there. */
export function focusAfter(place: Element | null, selector: string, otherwise?: string) {
  const within = (beside: Element | null | undefined) =>
    beside?.matches(selector) ? beside : beside?.querySelector(selector);
  const next = within(place?.nextElementSibling) ?? within(place?.previousElementSibling);
  return () => {
    const to = next?.isConnected ? next : otherwise ? shown(otherwise) : null;
    if (to instanceof HTMLElement) to.focus();
  };
}

/** The first of these that is not hidden, as the sidebar beside a drawer is. */
const shown = (selector: string) =>
  [...document.querySelectorAll<HTMLElement>(selector)].find(
    (one) => one.checkVisibility?.() ?? true,
  );

/** What takes the place of what had the focus has it as soon as it is drawn. */
export const focusSoon = (selector: string) =>
  requestAnimationFrame(() => shown(selector)?.focus());
