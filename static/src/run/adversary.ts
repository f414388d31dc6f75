/** The devil's advocate: an attack on the answer, and the revision that a grave one leads to. */
import type { Adversary, AdversaryEvent, Severity } from "../api/types";
import { gapsOf } from "../features/council/heading";
import { msg, t } from "../i18n";
import { revised } from "./parts";
import type { RunState } from "./state";

export interface AdversaryState {
  model: string;
  status: "attacking" | "judged" | "revising" | "done";
  critique: string;
  /** Null as long as there is no whole attack. */
  severity: Severity | null;
  /** Why nobody said the severity, where it had to be worked out. */
  severityNote: string | null;
  /** The revision as far as it has come; the answer once `revised`. */
  revision: string;
  revised: boolean;
  /** What failed; the answer stands as it was then. */
  error: string | null;
  cost: number | null;
  unknownCostCalls: number;
}

const attackFailed = msg("{{model}} could not attack the answer: {{error}}");
const revisionFailed = msg(
  "{{model}} could not revise the answer, which stands as it was: {{error}}",
);

/** What failed, in the reader's language: it is stored as the same sentence in English. */
function failureText(stored: string): string {
  for (const text of [attackFailed, revisionFailed]) {
    const gaps = gapsOf(text, stored);
    if (gaps) return t(text, gaps);
  }
  return stored;
}

const begun = (model: string): AdversaryState => ({
  model,
  status: "attacking",
  critique: "",
  severity: null,
  severityNote: null,
  revision: "",
  revised: false,
  error: null,
  cost: null,
  unknownCostCalls: 0,
});

export const adversaryFrom = (stored: Adversary): AdversaryState => ({
  model: stored.adversary_model ?? "",
  status: "done",
  critique: stored.critique ?? "",
  severity: stored.severity ?? null,
  severityNote: stored.severity_note ?? null,
  revision: stored.revision ?? stored.unfinished_revision ?? "",
  revised: stored.revised === true,
  error: stored.error ? failureText(stored.error) : null,
  cost: stored.total_cost ?? null,
  unknownCostCalls: stored.unknown_cost_calls ?? 0,
});

const withAdversary = (
  run: RunState,
  model: string | undefined,
  change: (entry: AdversaryState) => Partial<AdversaryState>,
): RunState => {
  const old = run.adversary ?? begun(model ?? "");
  return { ...run, phase: "adversary", adversary: { ...old, ...change(old) } };
};

export function reduceAdversary(run: RunState, event: AdversaryEvent): RunState {
  switch (event.type) {
    case "adversary_start":
      return { ...run, phase: "adversary", adversary: begun(event.adversary_model ?? "") };
    case "adversary_token":
      if (!event.content) return run;
      return withAdversary(run, event.model, (entry) =>
        entry.status === "attacking" ? { critique: entry.critique + event.content } : {},
      );
    case "adversary_complete":
      return withAdversary(run, event.model, (entry) => ({
        status: "judged",
        critique: event.critique ?? entry.critique,
        severity: event.severity ?? null,
        severityNote: event.severity_note ?? null,
      }));
    case "adversary_error":
      return withAdversary(run, event.model, (entry) => ({
        status: "done",
        critique: event.critique ?? entry.critique,
        error: t(attackFailed, { model: event.model, error: event.error }),
      }));
    case "adversary_revision_start":
      return withAdversary(run, undefined, () => ({ status: "revising", revision: "" }));
    case "adversary_revision_token":
      if (!event.content) return run;
      return withAdversary(run, undefined, (entry) =>
        entry.revised ? {} : { status: "revising", revision: entry.revision + event.content },
      );
    case "adversary_revision_complete":
      if (typeof event.response !== "string") return run;
      return revised(
        withAdversary(run, undefined, () => ({
          status: "judged",
          revision: event.response,
          revised: true,
        })),
        event.response,
      );
    case "adversary_revision_error":
      return withAdversary(run, undefined, () => ({
        status: "judged",
        revision: "",
        error: t(revisionFailed, { model: event.model, error: event.error }),
      }));
    case "adversary_validation_complete":
      return withAdversary(run, undefined, () => ({
        status: "done",
        cost: event.total_cost ?? null,
        unknownCostCalls: event.unknown_cost_calls ?? 0,
      }));
    default: {
      const unknownEvent: never = event;
      void unknownEvent;
      return run;
    }
  }
}

/** A call that was lost and is made again: its half-written text goes. */
export function restartAdversary(run: RunState): RunState {
  switch (run.adversary?.status) {
    case "attacking":
      return withAdversary(run, undefined, () => ({ critique: "" }));
    case "revising":
      return withAdversary(run, undefined, () => ({ revision: "" }));
    default:
      return run;
  }
}

/** As it stands when the run is over, however it ended. */
export const settleAdversary = (adversary: AdversaryState | null): AdversaryState | null =>
  adversary && adversary.status !== "done" ? { ...adversary, status: "done" } : adversary;
