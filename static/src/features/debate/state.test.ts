/** Over streams of the server with simulated models, the pieces of each text joined to a few. */
import { describe, expect, it } from "vitest";
import type { AssistantMessage, CouncilEvent } from "../../api/types";
import { newRun, type RunState } from "../../run/state";
import { describeRun, reviewsSummary } from "../council/describe";
import { stageNames } from "../council/stages";
import { toMarkdown } from "../export/markdown";
import { choiceIn, formatOf, isSimulated, membersOf } from "../formats";
import { fromStored, reduce, reduceAll } from "../reducer";
import allToAll from "./fixtures/all-to-all.json";
import arena from "./fixtures/arena.json";
import rotation from "./fixtures/rotation.json";
import { debateOf } from "./state";
import { movesOf, roundBefore } from "./words";

interface Recorded {
  events: CouncilEvent[];
  message: AssistantMessage;
}

const recorded = { rotation, "all-to-all": allToAll, arena } as unknown as Record<string, Recorded>;
const of = (name: string) => recorded[name] as Recorded;

/** Up to the first event that this holds for, that one included. */
const upTo = (name: string, found: (event: CouncilEvent) => boolean) => {
  const { events } = of(name);
  return reduceAll(newRun, events.slice(0, events.findIndex(found) + 1));
};

const isStart = ({ type }: CouncilEvent) => type === "format_ballots_start";

const statements = (run: RunState, round: number) =>
  debateOf(run)?.rounds.find(({ number }) => number === round)?.statements ?? [];

describe.each(Object.keys(recorded))("%s", (name) => {
  const { events, message } = of(name);
  const live = reduceAll(newRun, events);

  it("looks the same once it is stored", () => {
    const conversation = live.conversationId ?? "";
    // The title is the conversation's, and the log is read apart.
    const asStored = { ...live, title: null, notes: [] };
    const read = fromStored(message, conversation);
    const { debate } = read.slices;
    expect(debate).not.toBeNull();
    // The features that have nothing of it say so in a word or not at all.
    expect({ ...read, slices: { debate } }).toEqual(asStored);
  });

  it("is held in three rounds by four speakers, and judged", () => {
    expect(debateOf(live)?.rounds.map((round) => round.statements.length)).toEqual([4, 4, 4]);
    expect(membersOf(live)).toHaveLength(4);
    expect(live.synthesis.result?.verdict?.most_convincing).toHaveLength(1);
    expect(live.reviews).toHaveLength(4);
    expect(isSimulated(live)).toBe(true);
    expect(describeRun(live)).toBe("Answer after the debate is ready.");
  });

  it("says what is written, piece by piece", () => {
    let run = newRun;
    for (const event of events) {
      run = reduce(run, event);
      if (run.phase === "round2") break;
    }
    expect(describeRun(run)).toMatch(/^Round 2 of 3 · .*: 0 of 4 speakers have spoken\.$/);
    expect(statements(run, 2).map(({ status }) => status)).toEqual(Array(4).fill("waiting"));
    expect(statements(run, 1).every(({ status }) => status === "done")).toBe(true);
  });

  it("is copied with its rounds and who answers whom", () => {
    const copied = toMarkdown("Why?", live);
    expect(copied).toContain("## Answer after the debate");
    expect(copied).toMatch(/## Round 2 of 3 · /);
    expect(copied).toMatch(/### .*A answers .*B.* \(simulated\/ada\)/);
    expect(copied).toContain("**Most convincing**");
  });

  it("survives events without their fields", () => {
    const bare = events.map(({ type }) => ({ type }) as CouncilEvent);
    expect(() => bare.reduce(reduce, newRun)).not.toThrow();
    expect(() => bare.reduce(reduce, live)).not.toThrow();
  });
});

describe("a debate under way", () => {
  const speaking = upTo("rotation", ({ type }) => type === "position_token");

  it("goes on while the ballots come in", () => {
    const run = upTo("arena", ({ type }) => type === "format_ballots_complete");
    expect(run.phase).toBe("round2");
    expect(run.aggregate).toHaveLength(4);
  });

  it("shows who is still to rank the openings, whatever the round", () => {
    const asked = upTo("rotation", ({ type }) => type === "format_ballots_start");
    expect(asked.phase).toBe("round2");
    expect(asked.reviews.map(({ status }) => status)).toEqual(Array(4).fill("writing"));
    expect(asked.reviews[0]?.since).toMatch(/^\d{4}-/);
    const one = upTo("rotation", ({ type }) => type === "format_ballots_model_complete");
    expect(one.reviews.filter(({ status }) => status === "done")).toHaveLength(1);
    expect(statements(one, 2)).toHaveLength(4);
    expect(reviewsSummary(one)).toBe("1 of 4 in");
    const late = reduce(one, of("rotation").events.find(isStart) as CouncilEvent);
    expect(late.reviews).toEqual(one.reviews);
  });

  it("gives up on ballots that never came when it is stopped", () => {
    const one = upTo("rotation", ({ type }) => type === "format_ballots_model_complete");
    const { reviews } = reduce(one, { type: "cancelled" });
    expect(reviews.map(({ status }) => status).toSorted()).toEqual([
      "done",
      ...Array(3).fill("failed"),
    ]);
  });

  it("forgets what a lost call had written", () => {
    expect(statements(speaking, 1)[0]).toMatchObject({ status: "writing", label: "A" });
    const again = reduce(speaking, {
      type: "call_restarted",
      stage: "round1",
      model: "simulated/ada",
      member: "simulated/ada",
    } as CouncilEvent);
    expect(statements(again, 1)[0]).toMatchObject({ status: "waiting", text: "", restarted: true });
    expect(statements(again, 1)[1]).toBe(statements(speaking, 1)[1]);
  });

  it("keeps what had arrived when it is stopped", () => {
    const stopped = reduce(speaking, { type: "cancelled" });
    expect(stopped.status).toBe("cancelled");
    expect(statements(stopped, 1).map(({ status }) => status)).toEqual(Array(4).fill("failed"));
    expect(statements(stopped, 1)[0]?.text).not.toBe("");
  });

  it("shows a speaker that failed, with what it had said", () => {
    const data = {
      label: "A",
      model: "simulated/ada",
      member: "simulated/ada",
      text: "So f",
      error: "cut",
      error_kind: "bad_response" as const,
    };
    const failed = reduce(speaking, {
      type: "model_error",
      round_number: 1,
      round_type: "position",
      ...data,
      data,
    } as CouncilEvent);
    expect(statements(failed, 1)[0]).toMatchObject({ status: "failed", text: "So f" });
    const said = "Round 1 of 3 · Positions: 0 of 4 speakers have spoken. 1 failed.";
    expect(describeRun(failed)).toBe(said);
  });

  it("is picked up where it is from what is stored so far", () => {
    const { message } = of("rotation");
    const rounds = message.rounds?.slice(0, 1);
    const half = { ...message, status: "running" as const, stage2: null, stage3: null, rounds };
    const run = fromStored(half, "c1");
    expect(run.phase).toBe("round1");
    expect(formatOf(run)?.stageName(run, "round3")).toBe("Round 3 · Rebuttals");
  });
});

it("knows who answers whom, and who has moved", () => {
  const run = reduceAll(newRun, of("rotation").events);
  const debate = debateOf(run);
  if (!debate) throw new Error("there is no debate");
  expect(statements(run, 2).map(({ label, repliesTo }) => label + repliesTo.join())).toEqual([
    "AB",
    "BC",
    "CD",
    "DA",
  ]);
  expect(roundBefore(debate, 3, "D")?.number).toBe(2);
  const places = new Map(run.aggregate.map((row) => [row.member, row.place ?? null]));
  const moves = movesOf(debate, (member) => places.get(member) ?? null);
  expect(moves.map(({ label, changed, after }) => [label, changed, after])).toContainEqual([
    "A",
    true,
    ["D"],
  ]);
  expect(moves[0]?.place).toMatch(/^\d(st|nd|rd|th)$/);
});

it("the best answer is chosen among the openings", () => {
  const run = reduceAll(newRun, of("rotation").events);
  expect(choiceIn(run)).toEqual(statements(run, 1));
});

it("a council is in no format of its own", () => {
  expect(formatOf(newRun)).toBeNull();
  expect(stageNames.map(([key]) => key)).toContain("round10");
});
