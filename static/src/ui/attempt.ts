import { useEffect, useRef, useState } from "react";
import { asProblem, type Problem } from "../api/problem";
import { complain } from "./complain";

/**
 * What a person sends to the server, one thing at a time: whether it is on its way, and why it came to nothing.
 *
 * A button that sends is `aria-disabled` while that is under way, never `disabled`: it had the focus, and the browser would drop
 * it. Pressed again it does nothing, since one thing is sent at a time. After a refusal the first wrong field of the `form` has it.
 */
export function useAttempt() {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [mended, setMended] = useState<readonly string[]>([]);
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (problem && problem.fields.length > 0) focusFirstWrong(form.current);
  }, [problem]);
  /**
   * Does it, unless something is on its way; answers whether it was done. Where nothing shows the problem, `failed` is a text
   * with a place for its `{{message}}`, for a toast.
   */
  const attempt = async (act: () => Promise<unknown>, failed?: string): Promise<boolean> => {
    if (busy) return false;
    setBusy(true);
    setProblem(null);
    setMended([]);
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
  /** What is wrong with the fields, but for those that were changed since. */
  const errors = problem?.fields.filter(({ field }) => !mended.includes(field)) ?? [];
  /** Somebody has changed these fields: what was wrong with them is no longer said. */
  const mend = (...fields: string[]) => setMended((known) => [...new Set([...known, ...fields])]);
  return { busy, problem, errors, mend, attempt, form };
}

/** The first field that is marked wrong, where there is one. */
export const focusFirstWrong = (form: HTMLElement | null) =>
  form?.querySelector<HTMLElement>('[aria-invalid="true"], [data-invalid]')?.focus();
