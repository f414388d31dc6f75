/** The events of every council and of every run: answers, reviews, the final answer, its end. */
import type { Answer, Metadata } from "../api/types";
import type { Handlers } from "./feature";
import {
  answerFrom,
  emptyAnswer,
  emptyReview,
  failureFrom,
  list,
  reviewFrom,
  seatOf,
  synthesisFrom,
  withAnswer,
  withMembers,
  withSeat,
  withStored,
  withSynthesis,
} from "./parts";
import { settle } from "./settle";
import { newRun, noSynthesis, noteFrom } from "./state";

const beginning = {
  run_started: (_run, event) => ({
    ...newRun,
    runId: event.run_id,
    conversationId: event.conversation_id,
    messageId: event.message_id,
    status: "running",
    ignored: list(event.ignored),
    prompts: list(event.prompts),
  }),
  run_queued: (run, event) => {
    if (run.phase !== "waiting" || !(event.position >= 1)) return run;
    return { ...run, runId: event.run_id, status: "queued", queuePosition: event.position };
  },
} satisfies Partial<Handlers>;

const answers = {
  stage1_start: (run, event) => withMembers(run, list(event.members), event.started_at ?? null),
  stage1_token: (run, event) => {
    if (!event.content) return run;
    return withAnswer(run, seatOf(event), (entry) =>
      entry.result ? entry : { ...entry, status: "writing", text: entry.text + event.content },
    );
  },
  stage1_reasoning_token: (run, event) => {
    if (!event.content) return run;
    return withAnswer(run, seatOf(event), (entry) =>
      entry.result
        ? entry
        : { ...entry, status: "writing", reasoning: entry.reasoning + event.content },
    );
  },
  stage1_model_complete: (run, event) => {
    if (!event.data) return run;
    return withAnswer(run, seatOf(event), (entry) => {
      const done = answerFrom(event.data);
      const tier = done.tier ?? entry.tier;
      return { ...done, seat: entry.seat, late: entry.late || done.late, tier };
    });
  },
  stage1_error: (run, event) =>
    withAnswer(run, seatOf(event), (entry) => {
      const partial: Answer = {
        ...seatOf(event),
        response: entry.text,
        error: event.error,
        error_kind: event.error_kind ?? null,
      };
      const failed = answerFrom({ ...partial, ...event.data });
      const tier = failed.tier ?? entry.tier;
      return { ...failed, seat: entry.seat, status: "failed", late: entry.late, tier };
    }),
  stage1_complete: (run, event) => ({
    ...run,
    answers: withStored(
      run.answers,
      list(event.data).filter((answer) => !answer.pending),
    ),
    confidence: event.metadata?.aggregate_confidence ?? run.confidence,
  }),
} satisfies Partial<Handlers>;

const reviews = {
  // It comes again when more members are asked after the reviews: the first ones no longer count.
  stage2_start: (run, event) => ({
    ...run,
    phase: "stage2",
    labelToMember: {},
    aggregate: [],
    facts: null,
    reviews: list(event.members).map((member) =>
      emptyReview(seatOf(member), event.started_at ?? null),
    ),
    abstained: list(event.abstained),
  }),
  stage2_model_complete: (run, event) => {
    if (!event.data) return run;
    return {
      ...run,
      reviews: withSeat(run.reviews, seatOf(event), emptyReview, (entry) => ({
        ...reviewFrom(event.data),
        seat: entry.seat,
      })),
    };
  },
  stage2_complete: (run, event) => {
    const found = list(event.data).map(reviewFrom);
    const metadata: Partial<Metadata> = event.metadata ?? {};
    return {
      ...run,
      reviews: found.length > 0 ? found : run.reviews,
      labelToMember: metadata.label_to_member ?? run.labelToMember,
      aggregate: metadata.aggregate_rankings ?? run.aggregate,
      facts: metadata.aggregate ?? run.facts,
      abstained: metadata.abstained ?? run.abstained,
    };
  },
} satisfies Partial<Handlers>;

const finalAnswer = {
  // Possibly the fallback's start: the failed chairman's partial text goes.
  stage3_start: (run, event) =>
    withSynthesis(run, {
      ...noSynthesis,
      status: "writing",
      since: event.started_at ?? null,
      model: event.model ?? null,
      failures: run.synthesis.failures,
    }),
  stage3_token: (run, event) => {
    if (!event.content || run.synthesis.result) return run;
    return withSynthesis(run, {
      status: "writing",
      model: event.model ?? run.synthesis.model,
      text: run.synthesis.text + event.content,
    });
  },
  stage3_reasoning_token: (run, event) => {
    if (!event.content || run.synthesis.result) return run;
    return withSynthesis(run, {
      status: "writing",
      reasoning: run.synthesis.reasoning + event.content,
    });
  },
  stage3_error: (run, event) =>
    withSynthesis(run, {
      status: "failed",
      failures: [...run.synthesis.failures, failureFrom(event)],
    }),
  stage3_complete: (run, event) => {
    if (!event.data) return run;
    return {
      ...run,
      phase: "stage3",
      synthesis: synthesisFrom(event.data, run.synthesis.failures),
    };
  },
} satisfies Partial<Handlers>;

const beside = {
  process: (run, event) =>
    event.message ? { ...run, hasLog: true, notes: [...run.notes, noteFrom(event)] } : run,
  budget_warning: (run, event) =>
    event.data ? { ...run, budgets: [...run.budgets, event.data] } : run,
  costs_complete: (run, event) => (event.data ? { ...run, costs: event.data } : run),
  title_complete: (run, event) => (event.data?.title ? { ...run, title: event.data.title } : run),
  // The failure that follows says what it comes to.
  member_skipped: (run) => run,
  // The stream's business: it reconnects, and the run goes on elsewhere.
  server_shutdown: (run) => run,
} satisfies Partial<Handlers>;

/** A call that was lost and is made again: what it had written goes. */
const restarted = {
  call_restarted: (run, event) => {
    switch (event.stage) {
      case "stage1":
        return withAnswer(run, seatOf(event), (entry) => ({
          ...emptyAnswer(entry.seat, entry.since),
          restarted: true,
          late: entry.late,
          tier: entry.tier,
        }));
      case "stage3":
        return withSynthesis(run, {
          text: "",
          reasoning: "",
          restarted: true,
          result: null,
        });
      default:
        return run;
    }
  },
} satisfies Partial<Handlers>;

/** A member that has failed is asked again: what it had written goes. */
const retried = {
  member_retried: (run, event) => {
    if (event.stage !== "stage1") return run;
    return withAnswer(run, seatOf(event), (entry) => ({
      ...emptyAnswer(entry.seat, event.started_at ?? null),
      late: entry.late,
      tier: entry.tier,
    }));
  },
} satisfies Partial<Handlers>;

const ending = {
  complete: (run) => ({ ...settle(run), status: "complete" }),
  cancelled: (run, event) => ({
    ...settle(run),
    status: "cancelled",
    error: event.message || null,
    errorKind: event.error_kind ?? null,
  }),
  error: (run, event) => ({
    ...settle(run),
    status: "failed",
    error: event.message || null,
    errorKind: event.error_kind ?? null,
  }),
} satisfies Partial<Handlers>;

export const acts = {
  ...beginning,
  ...answers,
  ...reviews,
  ...finalAnswer,
  ...beside,
  ...restarted,
  ...retried,
  ...ending,
};
