/** Where a person types next. */

/** Keys are on glass: a box that takes the focus raises a keyboard over half of the page. */
export const keysOnGlass = "(hover: none) and (pointer: coarse)";

let byPage = false;

/** Whether it is the page that puts the focus somewhere, and not the person. */
export const isByPage = () => byPage;

/** Where the next question is typed, and not one in the place of another. */
export const composerBox = ".composer:not(.composer-edits) textarea";

/** Into the composer, where there is one and no keyboard rises that nobody asked for. */
export function focusComposer() {
  if (matchMedia(keysOnGlass).matches) return;
  const box = document.querySelector<HTMLTextAreaElement>(composerBox);
  if (!box || box === document.activeElement) return;
  byPage = true;
  box.focus({ preventScroll: true });
  byPage = false;
  // Whoever had begun goes on where they were.
  box.setSelectionRange(box.value.length, box.value.length);
}
