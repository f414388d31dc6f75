import katex from "katex";
import "katex/dist/katex.min.css";

/** Typesets a formula into `place`; what cannot be read stays as it was written. */
export function typeset(tex: string, place: HTMLElement, displayMode: boolean) {
  katex.render(tex, place, { displayMode, throwOnError: false, trust: false, maxExpand: 200 });
}
