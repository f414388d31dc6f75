import { t } from "../../i18n";
import { knownCost } from "../../ui/known-cost";
import type { RefinementState } from "./state";

/** What refinement does now, without the words of any text. */
export function refinementNow(refinement: RefinementState | null): string {
  const now = refinement?.iterations.at(-1);
  if (!refinement || !now) return t("the draft is criticised");
  const at = { round: now.iteration, most: refinement.maxIterations };
  switch (now.status) {
    case "revising":
      return t("round {{round}} of at most {{most}}, the draft is revised", at);
    case "done":
      return t("round {{round}} of at most {{most}}, the draft was revised", at);
    case "stopped":
      return t("round {{round}} of at most {{most}}, nothing is left to revise", at);
    case "critiques":
      return t("round {{round}} of at most {{most}}, {{done}} of {{count, number}} critiques in", {
        ...at,
        done: now.critiques.length,
        count: now.asked,
      });
  }
}

/** Refinement in a line. */
export function refinementSummary(refinement: RefinementState): string {
  if (!refinement.done) return refinementNow(refinement);
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
  if (refinement.cost !== null) {
    parts.push(knownCost(refinement.cost, refinement.unknownCostCalls));
  }
  return parts.join(" · ");
}
