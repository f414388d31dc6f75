import katex from "katex";
import "katex/dist/katex.min.css";

/** Typesetting takes longer than a frame past this; such a formula stays as it was written. */
const longest = 4_000;

/** Boxes within boxes: far beyond this a browser gives up on the whole page. */
const deepest = 120;

function isDeep(sheet: Element): boolean {
  const open: [Element, number][] = [[sheet, 0]];
  for (let next = open.pop(); next; next = open.pop()) {
    const [element, depth] = next;
    if (depth > deepest) return true;
    for (const child of element.children) open.push([child, depth + 1]);
  }
  return false;
}

/** Typesets a formula into `place`; what cannot be read stays as it was written. */
export function typeset(tex: string, place: HTMLElement, displayMode: boolean) {
  if (tex.length > longest) return;
  const sheet = document.createElement("span");
  try {
    katex.render(tex, sheet, {
      displayMode,
      throwOnError: true,
      trust: false,
      strict: "ignore",
      maxExpand: 200,
      maxSize: 20,
    });
  } catch {
    // A formula that is wrong, unfinished, or nested too deeply.
    return;
  }
  if (!isDeep(sheet)) place.replaceChildren(...sheet.childNodes);
}
