import type { CouncilEvent, FoundSource } from "../api/types";
import { answer, seats, synthesis, wholeRun } from "./samples";

/** A source with this number. */
export const found = (n: number, more: Partial<FoundSource> = {}): FoundSource => ({
  n,
  title: `Title ${n}`,
  url: `https://site${n}.example/page`,
  host: `site${n}.example`,
  snippet: `What page ${n} says.`,
  query: "bees",
  ...more,
});

/** An undisturbed run with these events before its answers. */
export function runAfter(
  before: readonly CouncilEvent[],
  answers = seats.map((seat) => answer(seat)),
  final = synthesis(),
): CouncilEvent[] {
  const [started, ...rest] = wholeRun(answers, [], final);
  return started ? [started, ...before, ...rest] : [];
}
