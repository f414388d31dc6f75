/**
 * The one place where events become what is shown: live, resumed and stored runs go through it.
 *
 * Pure; returns the same object when an event changed nothing. Exhaustive by type (`never` at the
 * end), forgiving at run time: an event that lacks a field a newer or older server would send is
 * skipped or read as empty, never thrown over.
 */
import type { Answer, CouncilEvent, Metadata } from "../api/types";
import { t } from "../i18n";
import { reduceAdversary, restartAdversary } from "./adversary";
import { chairmenFrom, reduceChairmen, restartChairmen } from "./chairmen";
import { reduceEscalation } from "./escalation";
import {
  answerFrom,
  emptyAnswer,
  emptyReview,
  list,
  noteFrom,
  reviewFrom,
  seatOf,
  synthesisFrom,
  withAnswer,
  withSeat,
  withStored,
  withSynthesis,
} from "./parts";
import { reduceRefinement, restartRefinement } from "./refinement";
import { settle } from "./settle";
import { newRun, noSynthesis, type RunState } from "./state";

export function reduce(run: RunState, event: CouncilEvent): RunState {
  switch (event.type) {
    case "run_started":
      return {
        ...newRun,
        runId: event.run_id,
        conversationId: event.conversation_id,
        messageId: event.message_id,
        status: "running",
        ignored: list(event.ignored),
      };
    case "run_queued":
      if (run.phase !== "waiting" || !(event.position >= 1)) return run;
      return { ...run, runId: event.run_id, status: "queued", queuePosition: event.position };

    case "routing_start":
      return { ...run, status: "running", phase: "routing", queuePosition: null };
    case "routing_complete":
      return event.data ? { ...run, routing: event.data } : run;

    case "stage1_start":
      return {
        ...run,
        status: "running",
        phase: "stage1",
        queuePosition: null,
        useCot: event.use_cot === true,
        answers: list(event.members).map((member) => emptyAnswer(seatOf(member))),
      };
    case "tier1_start":
    case "tier1_complete":
    case "escalation_triggered":
    case "tier2_start":
      return reduceEscalation(run, event);

    case "stage1_token":
      if (!event.content) return run;
      return withAnswer(run, seatOf(event), (entry) =>
        entry.result ? entry : { ...entry, status: "writing", text: entry.text + event.content },
      );
    case "stage1_reasoning_token":
      if (!event.content) return run;
      return withAnswer(run, seatOf(event), (entry) =>
        entry.result
          ? entry
          : { ...entry, status: "writing", reasoning: entry.reasoning + event.content },
      );
    case "stage1_model_complete":
      if (!event.data) return run;
      return withAnswer(run, seatOf(event), (entry) => {
        const done = answerFrom(event.data);
        const tier = done.tier ?? entry.tier;
        return { ...done, seat: entry.seat, late: entry.late || done.late, tier };
      });
    case "stage1_error":
      return withAnswer(run, seatOf(event), (entry) => {
        const partial: Answer = {
          ...seatOf(event),
          response: entry.text,
          error: event.error,
          error_kind: event.error_kind ?? null,
        };
        const failed = answerFrom({ ...partial, ...event.data });
        const tier = failed.tier ?? entry.tier;
        return { ...failed, seat: entry.seat, status: "failed", late: entry.late, tier };
      });
    case "stage1_complete":
      return {
        ...run,
        answers: withStored(
          run.answers,
          list(event.data).filter((answer) => !answer.pending),
        ),
        confidence: event.metadata?.aggregate_confidence ?? run.confidence,
        escalation: event.metadata?.escalation_info ?? run.escalation,
      };

    case "stage2_start":
      // It comes again when a run escalates after its reviews: the first ones no longer count.
      return {
        ...run,
        phase: "stage2",
        labelToMember: {},
        aggregate: [],
        facts: null,
        weights: null,
        reviews: list(event.members).map((member) => emptyReview(seatOf(member))),
      };
    case "stage2_model_complete":
      if (!event.data) return run;
      return {
        ...run,
        reviews: withSeat(run.reviews, seatOf(event), emptyReview, (entry) => ({
          ...reviewFrom(event.data),
          seat: entry.seat,
        })),
      };
    case "stage2_complete": {
      const reviews = list(event.data).map(reviewFrom);
      const metadata: Partial<Metadata> = event.metadata ?? {};
      return {
        ...run,
        reviews: reviews.length > 0 ? reviews : run.reviews,
        labelToMember: metadata.label_to_member ?? run.labelToMember,
        aggregate: metadata.aggregate_rankings ?? run.aggregate,
        facts: metadata.aggregate ?? run.facts,
        weights: metadata.weights_info ?? run.weights,
        escalation: metadata.escalation_info ?? run.escalation,
      };
    }

    case "stage3_start":
      // Possibly the fallback's start: the failed chairman's partial text goes.
      return withSynthesis(run, {
        ...noSynthesis,
        status: "writing",
        model: event.model ?? null,
        failures: run.synthesis.failures,
      });
    case "stage3_token":
      if (!event.content || run.synthesis.result) return run;
      return withSynthesis(run, {
        status: "writing",
        model: event.model ?? run.synthesis.model,
        text: run.synthesis.text + event.content,
      });
    case "stage3_reasoning_token":
      if (!event.content || run.synthesis.result) return run;
      return withSynthesis(run, {
        status: "writing",
        reasoning: run.synthesis.reasoning + event.content,
      });
    case "stage3_error":
      return withSynthesis(run, {
        status: "failed",
        failures: [
          ...run.synthesis.failures,
          { model: event.model, error: event.error, kind: event.error_kind ?? null },
        ],
      });
    case "stage3_complete":
      if (!event.data) return run;
      return {
        ...run,
        phase: "stage3",
        synthesis: synthesisFrom(event.data, run.synthesis.failures),
        chairmen: chairmenFrom(event.data) ?? run.chairmen,
        consensus: event.consensus_info ?? run.consensus,
      };

    case "consensus_detected":
      return event.data ? { ...run, phase: "stage3", consensus: event.data } : run;

    case "multi_synthesis_start":
    case "synthesis_complete":
    case "multi_synthesis_complete":
    case "selection_start":
    case "selection_token":
    case "selection_complete":
    case "selection_error":
      return reduceChairmen(run, event);

    case "refinement_start":
    case "iteration_start":
    case "critiques_start":
    case "critique_complete":
    case "critiques_complete":
    case "revision_start":
    case "revision_token":
    case "revision_complete":
    case "revision_error":
    case "iteration_complete":
    case "refinement_converged":
    case "refinement_complete":
      return reduceRefinement(run, event);

    case "adversary_start":
    case "adversary_token":
    case "adversary_complete":
    case "adversary_error":
    case "adversary_revision_start":
    case "adversary_revision_token":
    case "adversary_revision_complete":
    case "adversary_revision_error":
    case "adversary_validation_complete":
      return reduceAdversary(run, event);

    case "process":
      if (!event.message) return run;
      return { ...run, hasLog: true, notes: [...run.notes, noteFrom(event)] };
    case "budget_warning":
      return event.data ? { ...run, budgets: [...run.budgets, event.data] } : run;
    case "costs_complete":
      return event.data ? { ...run, costs: event.data } : run;
    case "title_complete":
      return event.data?.title ? { ...run, title: event.data.title } : run;

    case "call_restarted":
      switch (event.stage) {
        case "stage1":
          return withAnswer(run, seatOf(event), (entry) => ({
            ...emptyAnswer(entry.seat),
            restarted: true,
            late: entry.late,
            tier: entry.tier,
          }));
        case "refinement":
          return restartRefinement(run);
        case "adversary":
          return restartAdversary(run);
        case "routing":
        case "stage2":
        case "title":
          return run;
        case "stage3":
          return withSynthesis(restartChairmen(run), {
            text: "",
            reasoning: "",
            restarted: true,
            result: null,
          });
        default: {
          const unknownStage: never = event.stage;
          void unknownStage;
          return run;
        }
      }

    case "complete":
      return { ...settle(run), status: "complete" };
    case "cancelled":
      return { ...settle(run), status: "cancelled" };
    case "error":
      return {
        ...settle(run),
        status: "failed",
        error: event.message || t("The run failed, and the server did not say why."),
      };
    case "server_shutdown":
      // The stream's business: it reconnects, and the run goes on elsewhere.
      return run;

    default: {
      const unknownEvent: never = event;
      void unknownEvent;
      return run;
    }
  }
}

/** Many events at once: what one animation frame brought. */
export const reduceAll = (run: RunState, events: readonly CouncilEvent[]): RunState =>
  events.reduce(reduce, run);
