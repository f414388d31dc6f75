/** Escalation: a first tier of models answers; a second one too, where the first is unsure. */
import type { EscalationEvent, Seat } from "../api/types";
import { emptyAnswer, list, seatOf, withStored } from "./parts";
import type { RunState } from "./state";

/** Seats these members among the answers, after those who sit there already. */
function seated(run: RunState, members: readonly Seat[] | null | undefined, tier: number) {
  const seats = list(members as Seat[] | null | undefined).map(seatOf);
  const fresh = seats.filter((seat) => !run.answers.some((one) => one.seat.member === seat.member));
  const own = (member: string) => seats.some((seat) => seat.member === member);
  return [
    ...run.answers.map((entry) => (own(entry.seat.member) ? { ...entry, tier } : entry)),
    ...fresh.map((seat) => ({ ...emptyAnswer(seat), tier })),
  ];
}

export function reduceEscalation(run: RunState, event: EscalationEvent): RunState {
  switch (event.type) {
    case "tier1_start":
      return { ...run, phase: "stage1", answers: seated(run, event.members, 1) };
    case "tier1_complete":
      return {
        ...run,
        answers: withStored(
          run.answers,
          list(event.data).filter((answer) => !answer.pending),
        ),
        confidence: event.metadata?.aggregate_confidence ?? run.confidence,
      };
    case "escalation_triggered":
      return event.data ? { ...run, escalation: event.data } : run;
    case "tier2_start":
      return {
        ...run,
        phase: "stage1",
        // The reviews are to come again: nobody is too late for those.
        answers: seated(run, event.members, 2).map((entry) =>
          entry.late ? { ...entry, late: false } : entry,
        ),
      };
    default: {
      const unknownEvent: never = event;
      void unknownEvent;
      return run;
    }
  }
}
