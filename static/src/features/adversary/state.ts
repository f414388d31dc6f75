/** The devil's advocate: an attack on the answer, and the revision that a grave one leads to. */
import type { Metadata, Schemas } from "../../api/types";
import type { Handlers } from "../../run/feature";
import { revised } from "../../run/parts";
import { sliceOf } from "../../run/slice";
import type { Failure, RunState } from "../../run/state";

type AdversaryFact = Schemas["AdversaryFact"];
export type Severity = Schemas["Severity"];

export interface AdversaryState {
  model: string;
  status: "attacking" | "judged" | "revising" | "done";
  critique: string;
  /** Null as long as there is no whole attack. */
  severity: Severity | null;
  /** Why nobody said the severity, where it had to be worked out. */
  severityNote: { text: string; fact: Schemas["SeverityFact"] | null } | null;
  /** The revision as far as it has come; the answer once `revised`. */
  revision: string;
  revised: boolean;
  /** What failed; the answer stands as it was then. */
  error: { text: string; fact: AdversaryFact | null } | null;
  cost: number | null;
  unknownCostCalls: number;
}

const slice = sliceOf<AdversaryState | null>("adversary", null);
/** Null where nobody has attacked the answer. */
export const adversaryOf = slice.of;

/** What an event of a failure comes to: the same as is stored of it. */
const failed = (
  code: "not_attacked" | "not_revised",
  { model, error, error_kind, error_fact }: Failure,
): AdversaryState["error"] => ({
  text: error,
  fact: { code, model, reason: { error, error_kind, error_fact } },
});

const noteFrom = ({
  severity_note: text,
  severity_note_fact: fact,
}: Pick<Schemas["Adversary"], "severity_note" | "severity_note_fact">) =>
  text ? { text, fact: fact ?? null } : null;

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

export const adversaryFrom = (stored: Schemas["Adversary"]): AdversaryState => ({
  model: stored.adversary_model ?? "",
  status: "done",
  critique: stored.critique ?? "",
  severity: stored.severity ?? null,
  severityNote: noteFrom(stored),
  revision: stored.revision ?? stored.unfinished_revision ?? "",
  revised: stored.revised === true,
  error: stored.error ? { text: stored.error, fact: stored.error_fact ?? null } : null,
  cost: stored.total_cost ?? null,
  unknownCostCalls: stored.unknown_cost_calls ?? 0,
});

const withAdversary = (
  run: RunState,
  model: string | undefined,
  change: (entry: AdversaryState) => Partial<AdversaryState>,
): RunState => {
  const old = slice.of(run) ?? begun(model ?? "");
  return slice.with({ ...run, phase: "adversary" }, { ...old, ...change(old) });
};

export const events = {
  adversary_start: (run, event) =>
    slice.with({ ...run, phase: "adversary" }, begun(event.adversary_model ?? "")),
  adversary_token: (run, event) => {
    if (!event.content) return run;
    return withAdversary(run, event.model, (entry) =>
      entry.status === "attacking" ? { critique: entry.critique + event.content } : {},
    );
  },
  adversary_complete: (run, event) =>
    withAdversary(run, event.model, (entry) => ({
      status: "judged",
      critique: event.critique ?? entry.critique,
      severity: event.severity ?? null,
      severityNote: noteFrom(event),
    })),
  adversary_error: (run, event) =>
    withAdversary(run, event.model, (entry) => ({
      status: "done",
      critique: event.critique ?? entry.critique,
      error: failed("not_attacked", event),
    })),
  adversary_revision_start: (run) =>
    withAdversary(run, undefined, () => ({ status: "revising", revision: "" })),
  adversary_revision_token: (run, event) => {
    if (!event.content) return run;
    return withAdversary(run, undefined, (entry) =>
      entry.revised ? {} : { status: "revising", revision: entry.revision + event.content },
    );
  },
  adversary_revision_complete: (run, event) => {
    if (typeof event.response !== "string") return run;
    return revised(
      withAdversary(run, undefined, () => ({
        status: "judged",
        revision: event.response,
        revised: true,
      })),
      event.response,
    );
  },
  adversary_revision_error: (run, event) =>
    withAdversary(run, undefined, () => ({
      status: "judged",
      revision: "",
      error: failed("not_revised", event),
    })),
  adversary_validation_complete: (run, event) =>
    withAdversary(run, undefined, () => ({
      status: "done",
      cost: event.total_cost ?? null,
      unknownCostCalls: event.unknown_cost_calls ?? 0,
    })),
  // A call that was lost and is made again: its half-written text goes.
  call_restarted: (run, event) => {
    if (event.stage !== "adversary") return run;
    switch (slice.of(run)?.status) {
      case "attacking":
        return withAdversary(run, undefined, () => ({ critique: "" }));
      case "revising":
        return withAdversary(run, undefined, () => ({ revision: "" }));
      default:
        return run;
    }
  },
} satisfies Partial<Handlers>;

export function settle(run: RunState): RunState {
  const adversary = slice.of(run);
  if (!adversary || adversary.status === "done") return run;
  return slice.with(run, { ...adversary, status: "done" });
}

export const stored = (run: RunState, { adversary }: Metadata): RunState =>
  adversary ? slice.with(run, adversaryFrom(adversary)) : run;
