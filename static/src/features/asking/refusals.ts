import { create } from "zustand";
import type { Problem } from "../../api/problem";

/** Why the last question of a conversation was not taken. */
export const useRefusals = create<{ refusals: Readonly<Record<string, Problem>> }>(() => ({
  refusals: {},
}));

/** In the place of a conversation's id, for the question that is to begin one. */
export const newDraft = "new";

export const setRefusal = (id: string, problem: Problem | null) =>
  useRefusals.setState(({ refusals }) => {
    const { [id]: _old, ...rest } = refusals;
    return { refusals: problem ? { ...rest, [id]: problem } : rest };
  });
