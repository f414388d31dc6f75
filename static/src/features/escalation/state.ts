/** Escalation: a first tier of models answers; a second one too, where the first is unsure. */
import type { Metadata, Schemas, Seat } from "../../api/types";
import type { Handlers } from "../../run/feature";
import { emptyAnswer, list, seatOf, withStored } from "../../run/parts";
import { sliceOf } from "../../run/slice";
import type { RunState } from "../../run/state";

export type EscalationInfo = Schemas["EscalationInfo"];

const slice = sliceOf<EscalationInfo | null>("escalation", null);
/** Whether the second tier was asked, and why; null where the run cannot escalate. */
export const escalationOf = slice.of;

/** Seats these members among the answers, after those who sit there already. */
function seated(
  run: RunState,
  members: readonly Seat[] | null | undefined,
  tier: number,
  since: string | null = null,
) {
  const seats = list(members as Seat[] | null | undefined).map(seatOf);
  const fresh = seats.filter((seat) => !run.answers.some((one) => one.seat.member === seat.member));
  const own = (member: string) => seats.some((seat) => seat.member === member);
  return [
    ...run.answers.map((entry) => (own(entry.seat.member) ? { ...entry, tier } : entry)),
    ...fresh.map((seat) => ({ ...emptyAnswer(seat, since), tier })),
  ];
}

/** What other events say of it, in addition to their own. */
const told = (run: RunState, info: EscalationInfo | null | undefined): RunState =>
  info ? slice.with(run, info) : run;

export const events = {
  tier1_start: (run, event) => ({
    ...run,
    phase: "stage1",
    answers: seated(run, event.members, 1),
  }),
  tier1_complete: (run, event) => ({
    ...run,
    answers: withStored(
      run.answers,
      list(event.data).filter((answer) => !answer.pending),
    ),
    confidence: event.metadata?.aggregate_confidence ?? run.confidence,
  }),
  escalation_triggered: (run, event) => told(run, event.data),
  tier2_start: (run, event) => ({
    ...run,
    phase: "stage1",
    // The reviews are to come again: nobody is too late for those.
    answers: seated(run, event.members, 2, event.started_at ?? null).map((entry) =>
      entry.late ? { ...entry, late: false } : entry,
    ),
  }),
  stage1_complete: (run, event) => told(run, event.metadata?.escalation_info),
  stage2_complete: (run, event) => told(run, event.metadata?.escalation_info),
} satisfies Partial<Handlers>;

export const stored = (run: RunState, metadata: Metadata) => told(run, metadata.escalation_info);
