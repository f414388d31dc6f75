/** Where statements stand on the page, and the way to them. */
import { anchorOf, type RunState } from "../../run/state";

const slug = (text: string) => text.replace(/[^\p{L}\p{N}]+/gu, "-");

export const roundId = (run: RunState, round: number) => `round-${round}-${anchorOf(run)}`;

export const statementId = (run: RunState, round: number, label: string) =>
  `said-${round}-${slug(label)}-${anchorOf(run)}`;

const headOf = (element: Element | null | undefined, selector: string) =>
  element?.querySelector<HTMLElement>(selector) ?? null;

function unfold(head: HTMLElement | null) {
  if (head?.getAttribute("aria-expanded") === "false") head.click();
}

/** How long what was jumped to is marked. */
const markedMs = 2_000;

/** Opens a round, and brings it to the top of the screen with the focus. */
export function showRound(run: RunState, round: number) {
  const section = document.getElementById(roundId(run, round));
  const head = headOf(section, ".fold-heading button");
  unfold(head);
  head?.focus({ preventScroll: true });
  requestAnimationFrame(() => section?.scrollIntoView({ block: "start" }));
}

/** Opens a statement and the round that it is in, and marks it for a moment. */
export function showStatement(run: RunState, round: number, label: string) {
  unfold(headOf(document.getElementById(roundId(run, round)), ".fold-heading button"));
  // What was folded is drawn first.
  requestAnimationFrame(() => {
    const card = document.getElementById(statementId(run, round, label));
    const head = headOf(card, ".said-toggle");
    unfold(head);
    head?.focus({ preventScroll: true });
    card?.scrollIntoView({ block: "nearest" });
    card?.classList.add("said-marked");
    setTimeout(() => card?.classList.remove("said-marked"), markedMs);
  });
}

const steps: Readonly<Record<string, number>> = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 };

/** From one card to the next, over all rounds; answers whether the key was for that. */
export function stepFrom(head: HTMLElement, key: string): boolean {
  const by = steps[key];
  if (by === undefined) return false;
  const all = [...(head.closest(".debate")?.querySelectorAll<HTMLElement>(".said-toggle") ?? [])];
  const next = all[all.indexOf(head) + by];
  next?.focus({ preventScroll: true });
  next?.closest(".said")?.scrollIntoView({ block: "nearest" });
  return true;
}
