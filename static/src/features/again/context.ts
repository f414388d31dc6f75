import { createContext, useContext } from "react";
import type { RunState } from "../../run/state";
import { textsOf } from "../formats";

/** A run that may be asked again: the latest answer of its conversation, and over. */
export interface Askable {
  conversationId: string;
  runId: string;
  messageId: string | null;
}

export const AskableContext = createContext<Askable | null>(null);

/** Null where a run can only be read: under way, followed by another question, or replaced. */
export const useAskable = () => useContext(AskableContext);

/** Whether something of a run is missing that could be asked for again. */
export const hasGaps = (run: RunState) =>
  run.status !== "complete" ||
  textsOf(run).some(({ status }) => status === "failed") ||
  run.reviews.some((review) => review.status === "failed") ||
  run.synthesis.failures.length > 0 ||
  Boolean(run.synthesis.result?.error ?? run.synthesis.result?.fallback_for);
