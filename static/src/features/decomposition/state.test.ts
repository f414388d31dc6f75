/** Over streams of the server with simulated models, the pieces of each text joined to a few. */
import { describe, expect, it } from "vitest";
import type { AssistantMessage, CouncilEvent } from "../../api/types";
import { newRun, type RunState } from "../../run/state";
import { describeRun } from "../council/describe";
import { stageNames } from "../council/stages";
import { toMarkdown } from "../export/markdown";
import { formatOf, isSimulated, membersOf } from "../formats";
import { fromStored, reduce, reduceAll } from "../reducer";
import ballots from "./fixtures/ballots.json";
import confidence from "./fixtures/confidence.json";
import skipped from "./fixtures/skipped.json";
import { apart, decompositionOf } from "./state";
import { answeredIn, pickedBy, standing } from "./words";

interface Recorded {
  events: CouncilEvent[];
  message: AssistantMessage;
}

const recorded = { ballots, confidence, skipped } as unknown as Record<string, Recorded>;
const of = (name: string) => recorded[name] as Recorded;

/** Up to the first event that this holds for, that one included. */
const upTo = (name: string, found: (event: CouncilEvent) => boolean) => {
  const { events } = of(name);
  return reduceAll(newRun, events.slice(0, events.findIndex(found) + 1));
};

const parts = (run: RunState) => apart(run)?.parts ?? [];

describe.each(Object.keys(recorded))("%s", (name) => {
  const { events, message } = of(name);
  const live = reduceAll(newRun, events);

  it("looks the same once it is stored", () => {
    const read = fromStored(message, live.conversationId ?? "");
    const { decomposition } = read.slices;
    expect(decomposition).toEqual(live.slices.decomposition);
    // The title is the conversation's, and the log is read apart.
    expect({ ...read, slices: {} }).toEqual({ ...live, slices: {}, title: null, notes: [] });
  });

  it("survives events without their fields", () => {
    const bare = events.map(({ type }) => ({ type }) as CouncilEvent);
    expect(() => bare.reduce(reduce, newRun)).not.toThrow();
    expect(() => bare.reduce(reduce, live)).not.toThrow();
  });
});

describe.each(["ballots", "confidence"])("parts whose best answer is found by %s", (name) => {
  const live = reduceAll(newRun, of(name).events);

  it("have an answer of each member, and a best one", () => {
    expect(parts(live).map(answeredIn)).toEqual([4, 4, 4]);
    expect(membersOf(live)).toHaveLength(4);
    expect(isSimulated(live)).toBe(true);
    expect(parts(live).every(({ result }) => result?.best_member)).toBe(true);
    expect(parts(live).map(({ result }) => result?.ballots?.length ?? 0)).toEqual(
      Array(3).fill(name === "ballots" ? 4 : 0),
    );
    expect(describeRun(live)).toBe("Answer put together from 3 parts of the question is ready.");
  });

  it("are copied with their questions, and the answer that was taken is marked", () => {
    const copied = toMarkdown("Tea?", live);
    expect(copied).toContain("## Answer put together from 3 parts of the question");
    expect(copied).toContain(`## Part 3\n\n${parts(live)[2]?.question}`);
    const [first] = parts(live);
    const by = first && pickedBy(first);
    expect(by).toBe(name === "ballots" ? "ranked best by the ballots" : "by the surest member");
    expect(copied).toContain(`### ${first?.result?.best_member} (${by})`);
  });
});

describe("a question under way", () => {
  it("is looked at first", () => {
    const run = upTo("ballots", ({ type }) => type === "decomposition_start");
    expect(run.phase).toBe("decomposition");
    expect(describeRun(run)).toBe("Looking whether the question has parts.");
  });

  it("has its parts answered side by side", () => {
    const run = upTo("ballots", ({ type }) => type === "sub_council_response");
    expect(describeRun(run)).toBe("0 of 3 parts are through.");
    expect(parts(run).reduce((sum, part) => sum + answeredIn(part), 0)).toBe(1);
    expect(parts(run).map((part) => standing(run, part))).toEqual(
      Array(3).fill("is being answered…"),
    );
  });

  it("waits for the ballots once all have answered", () => {
    const run = upTo("ballots", ({ type }) => type === "sub_council_complete");
    const open = parts(run).filter(({ result }) => result === null);
    expect(open).not.toHaveLength(0);
    for (const part of open.filter((one) => answeredIn(one) === 4)) {
      expect(standing(run, part)).toBe("The answers are ranked…");
    }
    expect(describeRun(run)).toBe("1 of 3 parts are through.");
  });

  it("is put together where a council's final answer stands", () => {
    const run = upTo("ballots", ({ type }) => type === "merge_token");
    expect(describeRun(run)).toBe("chair puts the parts together.");
    expect(run.synthesis).toMatchObject({ status: "writing", model: "simulated/chair" });
    expect(run.synthesis.text).not.toBe("");
  });

  it("keeps what had arrived when it is stopped", () => {
    const answering = upTo("ballots", ({ type }) => type === "sub_council_response");
    const stopped = reduce(answering, { type: "cancelled" });
    expect(parts(stopped).flatMap(({ answers }) => answers.map((one) => one.status))).toEqual(
      expect.arrayContaining(["done", "failed"]),
    );
    expect(standing(stopped, parts(stopped)[0])).toBe("broken off");
  });

  it("is picked up where it is from what is stored so far", () => {
    const { message } = of("ballots");
    const { decomposition } = message;
    if (!decomposition) throw new Error("nothing is stored");
    const half = { ...message, status: "running" as const, stage3: null };
    expect(fromStored(half, "c1").phase).toBe("sub3");
    const asked = { ...decomposition, sub_questions: [], sub_results: [] };
    const looking = fromStored({ ...half, decomposition: asked }, "c1");
    expect(looking.phase).toBe("decomposition");
    expect(formatOf(looking)?.stageName(looking, "stage3")).toBe("Putting together");
  });

  it("takes no answer back for a ballot that is asked for again", () => {
    const before = upTo("ballots", ({ type }) => type === "sub_council_response");
    const [part] = parts(before).filter((one) => answeredIn(one) === 1);
    const answered = part?.answers.find(({ status }) => status === "done");
    const again = (member: string) =>
      reduce(before, {
        type: "call_restarted",
        stage: `sub${Number(part?.index) + 1}`,
        model: member,
        member,
      } as CouncilEvent);
    expect(again(answered?.seat.member ?? "")).toBe(before);
    const waiting = part?.answers.find(({ status }) => status === "waiting");
    const restarted = parts(again(waiting?.seat.member ?? ""))[part?.index ?? 0];
    expect(restarted?.answers.filter((one) => one.restarted)).toHaveLength(1);
  });
});

it("a question without parts is the council's, and it is said why", () => {
  const run = reduceAll(newRun, of("skipped").events);
  expect(decompositionOf(run)?.skip?.fact).toEqual({ code: "not_complex" });
  expect(formatOf(run)).toBeNull();
  expect(run.answers).toHaveLength(4);
  expect(stageNames.map(([key]) => key)).toEqual(expect.arrayContaining(["decomposition", "sub5"]));
});
