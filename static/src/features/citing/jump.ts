import { entryId } from "./context";

/** Opens whatever the entry stands in, step by step: what is closed is not there yet. */
function reach(list: string, n: number, tries: number) {
  const entry = document.getElementById(entryId(list, n));
  if (entry) {
    const folded = entry.closest("details:not([open])")?.querySelector("summary");
    folded?.click();
    entry.scrollIntoView({ block: "center" });
    entry.querySelector<HTMLElement>("a, [tabindex]")?.focus({ preventScroll: true });
    entry.classList.add("source-marked");
    setTimeout(() => entry.classList.remove("source-marked"), 2_000);
    return;
  }
  const section = document.getElementById(list);
  if (!section || tries === 0) return;
  const head = section.querySelector<HTMLElement>(".fold-heading button[aria-expanded='false']");
  const rest = section.querySelector<HTMLElement>("details:not([open]) > summary");
  (head ?? rest)?.click();
  requestAnimationFrame(() => reach(list, n, tries - 1));
}

/** Brings a source of the list to where it can be read, with the focus. */
export const showSource = (list: string, n: number) => reach(list, n, 30);
