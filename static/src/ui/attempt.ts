import { useState } from "react";
import { asProblem, type Problem } from "../api/problem";
import { complain } from "./complain";

/** What a person sends to the server, one thing at a time: whether it is on its way, and why it came to nothing. */
export function useAttempt() {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  /**
   * Does it, unless something is on its way; answers whether it was done. Where nothing shows the problem, `failed` is a text
   * with a place for its `{{message}}`, for a toast.
   */
  const attempt = async (act: () => Promise<unknown>, failed?: string): Promise<boolean> => {
    if (busy) return false;
    setBusy(true);
    setProblem(null);
    try {
      await act();
      return true;
    } catch (error) {
      setProblem(asProblem(error));
      if (failed) complain(failed)(error);
      return false;
    } finally {
      setBusy(false);
    }
  };
  return { busy, problem, attempt };
}
