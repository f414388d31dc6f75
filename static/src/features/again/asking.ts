/** Asking again: one request at a time for a run, and what came of it. */
import { create } from "zustand";
import { api } from "../../api/client";
import { asProblem, type Problem } from "../../api/problem";
import { keys, queryClient } from "../../api/queries";
import type { Again } from "../../api/types";
import { newKey } from "../asking/key";
import { takeOver } from "../asking/session";
import type { Askable } from "./context";

interface Asking {
  /** Which button was pressed: what is wrong is said next to it. */
  place: string;
  again: Again;
  /** A second try of the same is the same request, in case the first did arrive. */
  idempotencyKey: string;
  problem: Problem | null;
}

export const useAsking = create<{ runs: Readonly<Record<string, Asking>> }>(() => ({ runs: {} }));

const note = (runId: string, asking: Asking | null) =>
  useAsking.setState(({ runs }) => {
    const { [runId]: _old, ...rest } = runs;
    return { runs: asking ? { ...rest, [runId]: asking } : rest };
  });

/** The button that was pressed goes with the old answer: eyes and keys go on where the new one begins. */
function goThere(conversationId: string) {
  requestAnimationFrame(() => {
    // A reader who has moved on to something else stays there.
    if (location.pathname !== `/c/${conversationId}`) return;
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const turn = document.querySelector<HTMLElement>(".turn:last-of-type");
    turn?.scrollIntoView({ block: "start", behavior: calm ? "instant" : "smooth" });
    if (document.activeElement === document.body) {
      document.getElementById("main")?.focus({ preventScroll: true });
    }
  });
}

export async function askAgain(askable: Askable, place: string, again: Again) {
  const { conversationId, runId, messageId } = askable;
  const before = useAsking.getState().runs[runId];
  if (before && !before.problem) return;
  const same = JSON.stringify(before?.again) === JSON.stringify(again);
  const unsure = same && before?.problem?.kind !== "refused";
  const idempotencyKey = unsure && before ? before.idempotencyKey : newKey();
  note(runId, { place, again, idempotencyKey, problem: null });
  try {
    const newRun = await api.askAgain(runId, again, idempotencyKey);
    takeOver(conversationId, newRun, messageId);
    note(runId, null);
    goThere(conversationId);
  } catch (error) {
    const problem = asProblem(error);
    note(runId, { place, again, idempotencyKey, problem });
    // Someone else has asked again or gone on: what is on this page is old.
    if (problem.status === 409) {
      queryClient.invalidateQueries({ queryKey: keys.conversation(conversationId) });
    }
  }
}
