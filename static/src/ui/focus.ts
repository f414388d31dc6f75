/**
 * What has the focus is about to go, with its place in a list: the same in the place after it has it
 * then, or in the one before; in an empty list `otherwise`. Beside the places may stand a button itself.
 */
export const passFocusOn = (place: Element | null, selector: string, otherwise?: string) =>
  focusAfter(place, selector, otherwise)();

/** The same once it is gone: where to is found now, and what is answered goes there. */
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
