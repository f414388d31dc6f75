import { create } from "zustand";
import { type CheckReport, type CheckRequest, checkProviders } from "../../api/checks";
import { asProblem, type Problem } from "../../api/problem";

interface State {
  running: boolean;
  /** The latest one; while the next is under way too. */
  report: CheckReport | null;
  /** Why the last one could not be made. */
  problem: Problem | null;
}

/**
 * Outlives the page: a reader who looks elsewhere in the meantime finds what they have asked for.
 */
export const useCheck = create<State>(() => ({ running: false, report: null, problem: null }));

export async function check(limits: CheckRequest) {
  if (useCheck.getState().running) return;
  useCheck.setState({ running: true, problem: null });
  try {
    useCheck.setState({ report: await checkProviders(limits) });
  } catch (error) {
    useCheck.setState({ problem: asProblem(error) });
  } finally {
    useCheck.setState({ running: false });
  }
}
