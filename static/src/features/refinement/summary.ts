import type { RunState } from "../../run/state";
import { money, plural } from "../../ui/format";
import { refinementNow } from "../council/describe";

/** Refinement in a line. */
export function refinementSummary(run: RunState): string {
  const { refinement } = run;
  if (!refinement) return "";
  if (!refinement.done) return refinementNow(run);
  const revisions = refinement.iterations.filter((entry) => entry.status === "done").length;
  const parts = [
    revisions === 0
      ? "not revised"
      : revisions === 1
        ? "revised once"
        : `revised ${revisions} times`,
    refinement.converged
      ? "then nothing was left"
      : `${plural(refinement.iterations.length, "round")} of at most ${refinement.maxIterations}`,
  ];
  if (refinement.cost !== null) parts.push(money(refinement.cost));
  return parts.join(" · ");
}
