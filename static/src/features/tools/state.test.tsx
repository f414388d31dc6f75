import { describe, expect, it, vi } from "vitest";
import type { CouncilEvent } from "../../api/types";
import { newRun } from "../../run/state";
import { readEvent } from "../../stream/decode";
import { deliberation } from "../../test/deliberation";
import { click, render, settled } from "../../test/render";
import { answer, seats, storedRun, synthesis } from "../../test/samples";
import { found } from "../../test/sources";
import { fromStored, reduce, reduceAll } from "../reducer";
import { madeIn, placeOf, usesOf } from "./state";
import UseList from "./use-list";

const [first = { model: "", member: "" }] = seats;
const { model, member } = first;
const begun: CouncilEvent[] = [
  { type: "run_started", run_id: "r1", conversation_id: "c1", message_id: "m1" },
  { type: "stage1_start", members: seats, use_cot: false },
  { type: "stage1_token", model, member, content: "Let me look." },
];
const call = (call_id: string, query: string): CouncilEvent => ({
  type: "stage1_tool_call",
  model,
  member,
  call_id,
  tool: "search_web",
  args: { query },
});
const result = (call_id: string, more: object = {}): CouncilEvent => ({
  type: "stage1_tool_result",
  model,
  member,
  call_id,
  tool: "search_web",
  result: "…",
  sources: [found(4), found(5)],
  ms: 840,
  ...more,
});
const live = (...events: CouncilEvent[]) => reduceAll(newRun, [...begun, ...events]);
const usesIn = (run: typeof newRun) => usesOf(run)[placeOf(member, null)] ?? [];

describe("what a member looks up", () => {
  it("stands on its card while it happens", () => {
    const run = live(
      call("1.1", "bees"),
      call("1.2", "coffee"),
      result("1.2", { error: "down", sources: [] }),
    );
    expect(usesIn(run).map(({ query, status }) => [query, status])).toEqual([
      ["bees", "running"],
      ["coffee", "failed"],
    ]);
    const done = reduce(run, result("1.1"));
    expect(usesIn(done)[0]).toMatchObject({ status: "done", found: [4, 5], ms: 840 });
    expect(usesIn(reduce(run, { type: "cancelled" }))[0]?.status).toBe("failed");
  });

  it("makes a thought of what was written before", () => {
    const entry = live(call("1.1", "bees")).answers[0];
    expect(entry).toMatchObject({ text: "", reasoning: "Let me look." });
    const next = live(call("1.1", "bees"), result("1.1"), {
      type: "stage1_token",
      model,
      member,
      content: "So it is.",
    }).answers[0];
    expect(next).toMatchObject({ text: "So it is.", reasoning: "Let me look." });
  });

  it("is begun anew with a call that was lost", () => {
    const run = live(call("1.1", "bees"), {
      type: "call_restarted",
      stage: "stage1",
      model,
      member,
    });
    expect(usesIn(run)).toEqual([]);
  });

  it("is begun anew in a round of a debate, and in a part of a question", () => {
    for (const stage of ["round2", "sub2"] as const) {
      const asked = { model, member, call_id: "1.1", tool: "search_web", round: 2 };
      const place = placeOf(member, 2);
      const run = live({ type: "tool_call", ...asked, args: { query: "bees" } });
      expect(usesOf(run)[place]).toHaveLength(1);
      const again = reduce(run, { type: "call_restarted", stage, model, member });
      expect(usesOf(again)[place]).toEqual([]);
    }
  });

  it("is begun anew where a member that has failed is asked again", () => {
    const run = live(call("1.1", "bees"), {
      type: "member_retried",
      stage: "stage1",
      model,
      member,
      retry: 1,
    });
    expect(usesIn(run)).toEqual([]);
  });

  it("is read as it is stored", () => {
    const stored = answer(first, {
      tool_calls_made: [
        { tool: "search_web", args: { query: "bees" }, result_sources: [4], ms: 840 },
        { tool: "search_web", args: {}, result_sources: [], ms: 1, error: "no query" },
      ],
    });
    const run = fromStored(storedRun([stored], [], synthesis()), "c1");
    expect(
      madeIn(run.answers[0]?.result ?? null).map(({ query, status, found }) => [
        query,
        status,
        found,
      ]),
    ).toEqual([
      ["bees", "done", [4]],
      ["", "failed", []],
    ]);
  });

  it("opens to what was found, and says who takes no tools", async () => {
    const answers = [
      answer(first, {
        tool_calls_made: [
          { tool: "search_web", args: { query: "bees" }, result_sources: [4, 5], ms: 840 },
        ],
      }),
      answer(seats[1] ?? first, { tools_refused: true }),
    ];
    const stored = fromStored(storedRun(answers, [], synthesis()), "c1");
    const page = await deliberation({ sources: [found(4), found(5)] }, synthesis(), {
      answers: stored.answers,
    });
    await settled("Search:");
    expect(page.querySelector(".tool")?.textContent).toBe("Search: bees 2 results · 840 ms");
    await click(page.querySelector(".tool summary"));
    await settled("Title 5");
    expect(page.textContent).toContain("takes no tools");
  });

  it("stays open when the stored ones take the place of those that were followed", async () => {
    const failed = { error: "down", sources: [] };
    const followed = usesIn(live(call("1.1", "bees"), result("1.1", failed)));
    const stored = answer(first, {
      tool_calls_made: [
        { tool: "search_web", args: { query: "bees" }, result_sources: [], ms: 840, error: "down" },
      ],
    });
    const page = await render(<UseList uses={followed} />);
    await click(page.querySelector(".tool summary"));
    const opened = await vi.waitFor(() => {
      const body = page.querySelector(".details-body");
      if (!body) throw new Error("it is not open");
      return body;
    });
    await render(<UseList uses={madeIn(stored)} />);
    expect(page.querySelector(".details-body")).toBe(opened);
  });

  it("breaks nothing when fields are missing", () => {
    const bare = ["stage1_tool_call", "stage1_tool_result", "tool_call", "tool_result"].map(
      (type) => readEvent(JSON.stringify({ type })) as CouncilEvent,
    );
    expect(Object.keys(usesOf(live(...bare)))).toEqual([placeOf("", null)]);
  });
});
