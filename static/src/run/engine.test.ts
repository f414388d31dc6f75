import { describe, expect, it } from "vitest";
import type { CouncilEvent } from "../api/types";
import { readEvent } from "../stream/decode";
import { answer, review, seats, storedRun, synthesis, wholeRun } from "../test/samples";
import { createEngine } from "./engine";
import { sliceOf } from "./slice";
import { newRun, type RunState } from "./state";

const { reduce, reduceAll, fromStored } = createEngine([]);

const [aurora, basil] = seats as [(typeof seats)[0], (typeof seats)[0]];
const begun = reduceAll(newRun, [
  { type: "run_started", run_id: "r1", conversation_id: "c1", message_id: "m1" },
  { type: "stage1_start", members: seats, use_cot: true },
]);
const write = (run: RunState, member: typeof aurora, content: string) =>
  reduce(run, { type: "stage1_token", ...member, content });

describe("stage 1", () => {
  it("seats every member before the first word", () => {
    expect(begun).toMatchObject({ status: "running", phase: "stage1", runId: "r1" });
    expect(begun.answers.map((entry) => [entry.seat.member, entry.status])).toEqual([
      ["aurora/large", "waiting"],
      ["Basil", "waiting"],
    ]);
  });

  it("appends each member's words to that member alone", () => {
    const run = write(write(write(begun, aurora, "one "), basil, "two"), aurora, "three");
    expect(run.answers.map((entry) => entry.text)).toEqual(["one three", "two"]);
    expect(run.answers[1]).toBe(write(run, aurora, "!").answers[1]);
  });

  it("keeps reasoning apart from the answer", () => {
    const run = reduce(begun, { type: "stage1_reasoning_token", ...aurora, content: "hm" });
    expect(run.answers[0]).toMatchObject({ reasoning: "hm", text: "", status: "writing" });
  });

  it("tells two seats with the same model apart", () => {
    const twins = [
      { model: "aurora/large", member: "One" },
      { model: "aurora/large", member: "Two" },
    ];
    const run = reduceAll(begun, [
      { type: "stage1_start", members: twins, use_cot: false },
      { type: "stage1_token", model: "aurora/large", member: "Two", content: "b" },
    ]);
    expect(run.answers.map((entry) => entry.text)).toEqual(["", "b"]);
  });

  it("replaces the words by the finished answer, and ignores late ones", () => {
    const data = answer(aurora, { response: "The clean text." });
    const done = reduce(write(begun, aurora, "The cl"), {
      type: "stage1_model_complete",
      ...aurora,
      data,
    });
    expect(done.answers[0]).toMatchObject({
      status: "done",
      text: "The clean text.",
      result: data,
    });
    expect(write(done, aurora, "late")).toBe(done);
  });

  it("keeps a failed member on the page with what had arrived", () => {
    const data = answer(aurora, {
      response: "Half an",
      error: "overloaded",
      error_kind: "overloaded",
    });
    const failed = reduceAll(write(begun, aurora, "Half an"), [
      { type: "stage1_error", ...aurora, error: "overloaded", error_kind: "overloaded", data },
      {
        type: "stage1_complete",
        data: [data, answer(basil)],
        metadata: { aggregate_confidence: { count: 1, total_models: 2, distribution: {} } },
      },
    ]);
    expect(failed.answers[0]).toMatchObject({ status: "failed", text: "Half an" });
    expect(failed.answers[0]?.result?.error).toBe("overloaded");
    expect(failed.answers).toHaveLength(2);
  });
});

describe("a run that waits for a free place", () => {
  const place = (position: number) => ({ type: "run_queued", run_id: "r1", position }) as const;
  const queued = reduce(newRun, place(3));

  it("shows its place, as it changes, until it begins", () => {
    expect(queued).toMatchObject({ runId: "r1", status: "queued", queuePosition: 3 });
    const next = reduce(queued, place(1));
    expect(next.queuePosition).toBe(1);
    const begins = reduceAll(next, [
      { type: "run_started", run_id: "r1", conversation_id: "c1", message_id: "m1" },
      { type: "stage1_start", members: seats, use_cot: false },
    ]);
    expect(begins).toMatchObject({ status: "running", queuePosition: null, phase: "stage1" });
  });

  it("has none once it has begun, has ended, or was told nonsense", () => {
    expect(reduce(begun, place(2))).toBe(begun);
    expect(reduce(queued, { type: "cancelled" }).queuePosition).toBeNull();
    expect(reduce(newRun, place(0))).toBe(newRun);
  });
});

describe("a member that is slower than the reviews", () => {
  const left = reduceAll(write(begun, basil, "Still "), [
    { type: "stage1_model_complete", ...aurora, data: answer(aurora) },
    {
      type: "stage1_complete",
      data: [answer(aurora)],
      metadata: { aggregate_confidence: { count: 1, total_models: 2, distribution: {} } },
    },
    { type: "stage2_start", members: [aurora] },
  ]);

  it("stays at work on the page, with its words", () => {
    expect(left.answers.map(({ seat, status, late }) => [seat.member, status, late])).toEqual([
      ["aurora/large", "done", false],
      ["Basil", "writing", true],
    ]);
    expect(write(left, basil, "here").answers[1]).toMatchObject({ text: "Still here", late: true });
  });

  it("is marked as late when it answers, and as failed when it fails", () => {
    const data = { ...answer(basil), late: true };
    const done = reduce(left, { type: "stage1_model_complete", ...basil, data });
    expect(done.answers[1]).toMatchObject({ status: "done", late: true });
    const error = { error: "gone", error_kind: "timeout" } as const;
    const failed = reduce(left, {
      type: "stage1_error",
      ...basil,
      ...error,
      data: answer(basil, error),
    });
    expect(failed.answers[1]).toMatchObject({ status: "failed" });
    expect(failed.phase).toBe("stage2");
  });

  it("is marked as late when it was stored as such", () => {
    const message = storedRun([answer(aurora), answer(basil, { late: true })], [], synthesis());
    expect(fromStored(message, "c1").answers.map(({ late }) => late)).toEqual([false, true]);
  });
});

describe("a quorum", () => {
  const metadata = { aggregate_confidence: { count: 1, total_models: 2, distribution: {} } };
  const complete = {
    type: "stage1_complete" as const,
    data: [answer(aurora, { response: "", pending: true }), answer(basil)],
    metadata,
  };

  it("lets a slow member go on writing beside the reviews", () => {
    const going = write(reduce(write(begun, aurora, "Half"), complete), aurora, " a thought");
    expect(going.answers[0]).toMatchObject({ status: "writing", text: "Half a thought" });
    const data = answer(aurora, { response: "Whole", late: true });
    const late = reduce(going, { type: "stage1_model_complete", ...aurora, data });
    expect(late.answers.map((entry) => entry.status)).toEqual(["done", "done"]);
    expect(late.answers[0]?.text).toBe("Whole");
  });

  it("shows why a member was stopped, with what had arrived", () => {
    const data = answer(aurora, { response: "Half", error: "stopped", error_kind: "cancelled" });
    const stopped = reduceAll(begun, [
      complete,
      { type: "stage1_error", ...aurora, error: "stopped", error_kind: "cancelled", data },
    ]);
    expect(stopped.answers[0]).toMatchObject({ status: "failed", text: "Half" });
  });
});

describe("stage 2", () => {
  it("shows reviewers at work, then their ballots", () => {
    const started = reduce(begun, { type: "stage2_start", members: seats });
    expect(started.reviews.map((entry) => entry.status)).toEqual(["writing", "writing"]);
    const one = reduce(started, { type: "stage2_model_complete", ...basil, data: review(basil) });
    expect(one.reviews.map((entry) => entry.status)).toEqual(["writing", "done"]);
  });

  it("says since when they are at work, and who abstains", () => {
    const abstained = [{ ...basil, reason: "no_answer" as const }];
    const started_at = "2026-11-22T12:00:00.000Z";
    const started = reduce(begun, {
      type: "stage2_start",
      members: [aurora],
      abstained,
      started_at,
    });
    expect(started.reviews[0]?.since).toBe(started_at);
    expect(started.abstained).toEqual(abstained);
    const message = storedRun([answer(aurora), answer(basil)], [review(aurora)], synthesis());
    message.metadata.abstained = abstained;
    expect(fromStored(message, "c1").abstained).toEqual(abstained);
  });
});

describe("stage 3", () => {
  const writing = reduceAll(begun, [
    { type: "stage3_start", model: "cedar/pro" },
    { type: "stage3_token", model: "cedar/pro", content: "Half" },
  ]);

  it("clears a failed chairman's words when the fallback starts, and remembers why", () => {
    const next = reduceAll(writing, [
      { type: "stage3_error", model: "cedar/pro", error: "timed out", error_kind: "timeout" },
      { type: "stage3_start", model: "dune/reasons" },
    ]);
    expect(next.synthesis).toMatchObject({
      status: "writing",
      model: "dune/reasons",
      text: "",
      failures: [{ model: "cedar/pro", error: "timed out", error_kind: "timeout" }],
    });
  });

  it("keeps reasoning apart from the answer", () => {
    const run = reduce(writing, {
      type: "stage3_reasoning_token",
      model: "cedar/pro",
      content: "hm",
    });
    expect(run.synthesis).toMatchObject({ text: "Half", reasoning: "hm" });
  });

  it("ends with the chairman's result", () => {
    const done = reduce(writing, { type: "stage3_complete", data: synthesis() });
    expect(done.synthesis).toMatchObject({ status: "done", text: "Together: so it is." });
  });
});

describe("a call that is made again", () => {
  it("starts its text anew in stage 1 and leaves the others alone", () => {
    const run = write(write(begun, aurora, "lost"), basil, "kept");
    const again = reduce(run, { type: "call_restarted", stage: "stage1", ...aurora });
    expect(again.answers[0]).toMatchObject({ text: "", status: "waiting", restarted: true });
    expect(again.answers[1]).toBe(run.answers[1]);
  });

  it("starts the answer of a member that had failed anew", () => {
    const data = answer(aurora, { response: "lost", error: "gone", error_kind: "timeout" });
    const failed = reduceAll(write(write(begun, aurora, "lost"), basil, "kept"), [
      { type: "stage1_error", ...aurora, error: "gone", error_kind: "timeout", data },
    ]);
    const again = (stage: "stage1" | "stage2"): CouncilEvent => ({
      type: "member_retried",
      model: aurora.model,
      member: aurora.member,
      stage,
      retry: 1,
      started_at: "2026-11-22T12:00:05.000Z",
    });
    const run = reduce(failed, again("stage1"));
    expect(run.answers[0]).toEqual({ ...begun.answers[0], since: "2026-11-22T12:00:05.000Z" });
    expect(run.answers[1]).toBe(failed.answers[1]);
    expect(write(run, aurora, "So.").answers[0]).toMatchObject({ status: "writing", text: "So." });
    expect(reduce(failed, again("stage2"))).toBe(failed);
  });

  it("starts the final answer anew in stage 3", () => {
    const run = reduceAll(begun, [
      { type: "stage3_token", model: "cedar/pro", content: "lost" },
      { type: "call_restarted", stage: "stage3", model: "cedar/pro" },
    ]);
    expect(run.synthesis).toMatchObject({ text: "", restarted: true });
  });

  it("changes nothing on the page for a title", () => {
    expect(reduce(begun, { type: "call_restarted", stage: "title", model: "x" })).toBe(begun);
  });
});

describe("the end of a run", () => {
  const open = write(begun, aurora, "half");

  it("marks what never finished when it is stopped, and keeps its words", () => {
    const run = reduce(open, { type: "cancelled" });
    expect(run).toMatchObject({ status: "cancelled", phase: "ended" });
    expect(run.answers[0]).toMatchObject({ status: "failed", text: "half" });
  });

  it("knows whether somebody else has stopped it, live and stored", () => {
    const message = "An administrator stopped the run.";
    const error_kind = "stopped_by_administrator";
    const run = reduce(open, { type: "cancelled", message, error_kind });
    expect(run).toMatchObject({ status: "cancelled", error: message, errorKind: error_kind });
    const stored = storedRun([], [], synthesis());
    const again = fromStored({ ...stored, status: "cancelled", error: message, error_kind }, "c1");
    expect(again).toMatchObject({ status: "cancelled", error: message, errorKind: error_kind });
  });

  it("says why it failed", () => {
    expect(reduce(open, { type: "error", message: "No member answered." })).toMatchObject({
      status: "failed",
      error: "No member answered.",
    });
    expect(reduce(open, { type: "error", message: "" }).error).toBeNull();
  });

  it("is not the server's shutdown", () => {
    const bye = { type: "server_shutdown", message: "", run_id: "r1", last_event_id: 3 } as const;
    expect(reduce(open, bye)).toBe(open);
  });
});

describe("costs and title", () => {
  it("are taken as they come", () => {
    const run = reduceAll(begun, [
      { type: "title_complete", data: { title: "Why so" } },
      {
        type: "costs_complete",
        data: { total_cost: 0.5, total_tokens: 10, unknown_cost_calls: 1, by_stage: {} },
      },
    ]);
    expect(run.title).toBe("Why so");
    expect(run.costs?.total_cost).toBe(0.5);
  });
});

describe("a newer or older server", () => {
  it("may leave fields out without breaking the page", () => {
    const bare = [
      "stage1_complete",
      "stage1_model_complete",
      "stage2_start",
      "stage2_complete",
      "stage2_model_complete",
      "stage3_complete",
      "costs_complete",
      "title_complete",
      "stage1_token",
      "stage3_token",
    ].flatMap((type) => readEvent(JSON.stringify({ type })) ?? []);
    expect(bare).toHaveLength(10);
    expect(() => reduceAll(begun, bare)).not.toThrow();
  });
});

describe("a stored message", () => {
  it("looks as the live run did when it ended", () => {
    const answers = [
      answer(aurora, { error: "refused", error_kind: "refused", response: "" }),
      answer(basil),
    ];
    const reviews = [review(basil)];
    const live = reduceAll(newRun, wholeRun(answers, reviews, synthesis()));
    expect(fromStored(storedRun(answers, reviews, synthesis()), "c1")).toEqual(live);
  });

  it("of a run under way is shown as running, without an end", () => {
    const message = { ...storedRun([], [], synthesis()), status: "running" as const };
    const run = fromStored({ ...message, stage1: null, stage2: null, stage3: null }, "c1");
    expect(run).toMatchObject({ status: "running", runId: "r1", answers: [] });
  });

  it("without a status was brought along from elsewhere, and is complete", () => {
    const message = storedRun([answer(aurora)], [], synthesis());
    expect(fromStored({ ...message, run_id: null, status: null }, "c1").status).toBe("complete");
  });

  it("that was read briefly has its text, and says how it ended", () => {
    const whole = storedRun([answer(aurora)], [], synthesis());
    const brief = { ...whole, stage1: null, stage2: null, stage3: null, brief: "So it is." };
    const run = fromStored(brief, "c1");
    expect(run).toMatchObject({ brief: true, status: "complete", phase: "ended" });
    expect(run).toMatchObject({ runId: "r1", messageId: "m1", conversationId: "c1" });
    expect(run.synthesis.text).toBe("So it is.");
    const open = fromStored({ ...brief, status: "running", brief: "" }, "c1");
    expect(open).toMatchObject({ brief: true, status: "running", phase: "waiting" });
    expect(fromStored(whole, "c1").brief).toBe(false);
  });

  it("is worked out once", () => {
    const message = storedRun([answer(aurora)], [], synthesis());
    expect(fromStored(message, "c1")).toBe(fromStored(message, "c1"));
  });
});

const started: CouncilEvent = {
  type: "run_started",
  run_id: "r1",
  conversation_id: "c1",
  message_id: "m1",
};

describe("options that do not apply", () => {
  const ignored = [{ field: "use_escalation", reason: "dynamic routing chooses who answers" }];

  it("are told from the start, and once it is stored", () => {
    const live = reduceAll(newRun, [{ ...started, ignored } as CouncilEvent]);
    expect(live.ignored).toEqual(ignored);
    const message = storedRun([], [], synthesis());
    expect(
      fromStored({ ...message, metadata: { ...message.metadata, ignored } }, "c1").ignored,
    ).toEqual(ignored);
  });
});

describe("the process log", () => {
  const note = (message: string): CouncilEvent => ({
    type: "process",
    message,
    category: "stage",
    level: 1,
    timestamp: "2026-01-01T10:00:00.000Z",
  });

  it("grows entry by entry", () => {
    const run = reduceAll(newRun, [started, note("one"), note("two")]);
    expect(run.notes.map(({ message }) => message)).toEqual(["one", "two"]);
  });
});

describe("a feature", () => {
  const heard = sliceOf<readonly string[]>("listener", []);
  const listener = createEngine([
    {
      events: {
        title_complete: (run, { data }) => heard.with(run, [...heard.of(run), data.title]),
      },
      settle: (run) => heard.with(run, [...heard.of(run), "over"]),
      stored: (run, { title }) => heard.with(run, [...heard.of(run), `stored ${title}`]),
    },
  ]);

  it("hears of an event after the acts, and of every end", () => {
    const run = listener.reduceAll(begun, [
      { type: "title_complete", data: { title: "Why so" } },
      { type: "cancelled" },
    ]);
    expect(heard.of(run)).toEqual(["Why so", "over"]);
    expect(run).toMatchObject({ title: "Why so", status: "cancelled" });
  });

  it("reads its own part of a stored message", () => {
    const message = storedRun([], [], synthesis());
    message.metadata.title = "Why so";
    expect(heard.of(listener.fromStored(message, "c1"))).toEqual(["over", "stored Why so"]);
  });

  it("that keeps nothing yet has what it begins with, as after a new start", () => {
    expect(heard.of(newRun)).toEqual([]);
    expect(heard.of(listener.reduce(heard.with(newRun, ["old"]), started))).toEqual([]);
  });
});

it("an event of a newer server changes nothing", () => {
  for (const type of ["hologram", "toString", "__proto__"]) {
    const event = readEvent(JSON.stringify({ type })) as CouncilEvent;
    expect(event.type).toBe(type);
    expect(reduce(begun, event)).toBe(begun);
  }
});
