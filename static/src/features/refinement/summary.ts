import { t } from "../../i18n";
import type { RunState } from "../../run/state";
import { money } from "../../ui/format";
import { refinementNow } from "../council/describe";

/** Refinement in a line. */
export function refinementSummary(run: RunState): string {
  const { refinement } = run;
  if (!refinement) return "";
  if (!refinement.done) return refinementNow(run);
  const revisions = refinement.iterations.filter((entry) => entry.status === "done").length;
  const parts = [
    revisions === 0 ? t("not revised") : t("revised {{count, number}} times", { count: revisions }),
    refinement.converged
      ? t("then too few faults were left for a revision")
      : t("{{count, number}} rounds of at most {{most}}", {
          count: refinement.iterations.length,
          most: refinement.maxIterations,
        }),
  ];
  if (refinement.cost !== null) parts.push(money(refinement.cost));
  return parts.join(" · ");
}
