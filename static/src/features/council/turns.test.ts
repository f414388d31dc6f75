import { describe, expect, it } from "vitest";
import type { AssistantMessage, Conversation } from "../../api/types";
import { newRun } from "../../run/state";
import { newConversation } from "../asking/conversation";
import type { LiveRun } from "../asking/runs";
import { isElsewhere, liveElsewhere } from "../branches/elsewhere";
import { turnsOf } from "./turns";

const answer = (id: string, parent_id: string): AssistantMessage =>
  ({
    role: "assistant",
    id,
    parent_id,
    created_at: "2026-01-01T10:00:00",
    run_id: `run of ${id}`,
    status: "complete",
    metadata: {},
  }) as unknown as AssistantMessage;

const question = (id: string, parent_id: string | null, siblings: string[] = []) =>
  ({ role: "user", id, parent_id, siblings, content: `${id}?`, created_at: "" }) as const;

/** Two questions, one after the other. */
const two: Conversation = {
  ...newConversation("c"),
  message_count: 4,
  branches: 1,
  messages: [question("q1", null), answer("a1", "q1"), question("q2", "a1"), answer("a2", "q2")],
};

const live = (change: Partial<LiveRun>): LiveRun => ({
  question: "New?",
  attachments: [],
  begins: false,
  parent: undefined,
  edits: null,
  knew: 4,
  since: 0,
  run: { ...newRun, status: "running", runId: "r", messageId: "a3" },
  link: { state: "live" },
  refused: null,
  stopping: false,
  over: false,
  ...change,
});

const questions = (conversation: Conversation, run: LiveRun | null) =>
  turnsOf(conversation, run).map((turn) => turn.question);

describe("the turns of a conversation", () => {
  it("a question stands where the page asked it, before the server's word is there", () => {
    expect(questions(two, live({}))).toEqual(["q1?", "q2?", "New?"]);
    expect(questions(two, live({ parent: "a1" }))).toEqual(["q1?", "New?"]);
    expect(questions(two, live({ parent: null }))).toEqual(["New?"]);
    const first = { ...newConversation("c") };
    expect(questions(first, live({ knew: 0, begins: true }))).toEqual(["New?"]);
  });

  const other: Conversation = {
    ...two,
    message_count: 6,
    branches: 2,
    live: { message_id: "a3", run_id: "r" },
    messages: [
      question("q1", null),
      answer("a1", "q1"),
      question("q2", "a1", ["q2", "q3"]),
      answer("a2", "q2"),
    ],
  };

  it("where there is one branch, a question asked before the answer before it was read stands after it", () => {
    const run = live({ knew: 2 });
    expect(isElsewhere(run, two)).toBe(false);
    expect(questions(two, run)).toEqual(["q1?", "q2?", "New?"]);
  });

  it("a run on another branch is not shown in this one, however far it has come", () => {
    for (const over of [false, true]) {
      const run = live({ parent: "a1", over });
      expect(questions(other, run)).toEqual(["q1?", "q2?"]);
      expect(isElsewhere(run, other)).toBe(true);
    }
    expect(liveElsewhere(other)).toEqual({ message_id: "a3", run_id: "r" });
    // One that was picked up knows of no earlier state of the page.
    expect(questions(other, live({ knew: null, question: null }))).toEqual(["q1?", "q2?"]);
  });

  it("once the branch is loaded the run stands in its place, beside the others", () => {
    const there: Conversation = {
      ...other,
      messages: [
        question("q1", null),
        answer("a1", "q1"),
        question("q3", "a1", ["q2", "q3"]),
        { ...answer("a3", "q3"), status: "running" },
      ],
    };
    const turns = turnsOf(there, live({ parent: "a1" }));
    expect(turns.map((turn) => turn.live !== null)).toEqual([false, true]);
    expect(turns[1]).toMatchObject({
      questionId: "q3",
      parentId: "a1",
      siblings: ["q2", "q3"],
    });
    expect(liveElsewhere(there)).toBeNull();
  });
});
