/** Going from one branch of a conversation to another. */
import { create } from "zustand";
import { api } from "../../api/client";
import { keys, queryClient } from "../../api/queries";
import { msg } from "../../i18n";
import { complain } from "../../ui/complain";
import { nextBranch } from "../asking/conversation";

/** From which turn on a conversation was given another branch: one entry for each time. */
const useForks = create<{ forks: Readonly<Record<string, readonly number[]>> }>(() => ({
  forks: {},
}));
const none: readonly number[] = [];

export const useForksOf = (id: string) => useForks((state) => state.forks[id] ?? none);

/** How often what stands at this turn was replaced: what a person had opened there belonged to another answer. */
export const timesReplaced = (forks: readonly number[], turn: number) =>
  forks.filter((fork) => fork <= turn).length;

/** From this turn on another branch is shown. */
export const fork = (id: string, turn: number) =>
  useForks.setState(({ forks }) => ({ forks: { ...forks, [id]: [...(forks[id] ?? none), turn] } }));

/**
 * Shows the branch through a message, from this turn on, and has the server remember it. Resolves with whether it is shown.
 */
export async function choose(id: string, messageId: string, turn: number): Promise<boolean> {
  try {
    const conversation = await api.chooseBranch(id, messageId);
    // What is being read may be from before.
    await queryClient.cancelQueries({ queryKey: keys.conversation(id) });
    nextBranch.delete(id);
    fork(id, turn);
    queryClient.setQueryData(keys.conversation(id), conversation);
    return true;
  } catch (error) {
    complain(msg("Not shown: {{message}}"))(error);
    return false;
  }
}
