import { describe, expect, it } from "vitest";
import { Problem } from "../api/problem";
import type { CouncilEvent } from "../api/types";
import { backoffMs, followRun, type Link, type Source, type World } from "./resume";

const asking: Source = {
  ask: { conversationId: "c1", body: { content: "why?" }, idempotencyKey: "k1" },
};

const frame = (seq: number | null, event: object) =>
  `${seq === null ? "" : `id: ${seq}\n`}data: ${JSON.stringify(event)}\n\n`;
const started = frame(1, {
  type: "run_started",
  run_id: "r1",
  conversation_id: "c1",
  message_id: "m1",
});
const token = (seq: number, content: string) =>
  frame(seq, { type: "stage3_token", model: "m", content });
const complete = (seq: number) => frame(seq, { type: "complete" });

type Reply = string | Problem | { text: string; thenBreak: true };

/** A server that answers each connection with the next reply, and a clock that never waits. */
function stage(replies: Reply[], controller = new AbortController()) {
  const requests: { path: string; method: string; key: string | null }[] = [];
  const waits: number[] = [];
  const world: World = {
    async open(path, init) {
      requests.push({
        path,
        method: init.method ?? "GET",
        key: new Headers(init.headers).get("idempotency-key"),
      });
      const reply = replies.shift();
      if (reply === undefined) throw new Error("the test has no more replies");
      if (reply instanceof Problem) throw reply;
      const text = typeof reply === "string" ? reply : reply.text;
      let sent = false;
      return new Response(
        new ReadableStream({
          pull(stream) {
            if (!sent) stream.enqueue(new TextEncoder().encode(text));
            else if (typeof reply === "string") stream.close();
            else stream.error(new TypeError("network error"));
            sent = true;
          },
        }),
      );
    },
    async pause(ms, signal) {
      waits.push(ms);
      if (signal.aborted) throw signal.reason;
    },
    random: () => 0,
  };
  const events: CouncilEvent[] = [];
  const links: Link[] = [];
  const run = (source: Source) =>
    followRun(
      source,
      { onEvent: (event) => events.push(event), onLink: (link) => links.push(link) },
      controller.signal,
      world,
    );
  return { run, requests, waits, events, links };
}

const texts = (events: CouncilEvent[]) =>
  events.flatMap((event) => (event.type === "stage3_token" ? [event.content] : []));

describe("following a run", () => {
  it("ends when a terminal event arrives", async () => {
    const { run, requests, events } = stage([started + token(2, "a") + complete(3)]);
    expect(await run(asking)).toEqual({ kind: "finished" });
    expect(requests).toEqual([
      { path: "/api/conversations/c1/message/stream", method: "POST", key: "k1" },
    ]);
    expect(events.map((event) => event.type)).toEqual(["run_started", "stage3_token", "complete"]);
  });

  it("reads the run's log after the last number when the stream just ends", async () => {
    const { run, requests, events } = stage([started + token(2, "a"), token(3, "b") + complete(4)]);
    expect(await run(asking)).toEqual({ kind: "finished" });
    expect(requests[1]).toMatchObject({ path: "/api/runs/r1/events?after=2", method: "GET" });
    expect(texts(events)).toEqual(["a", "b"]);
  });

  it("goes on after a lost connection", async () => {
    const { run, events, links } = stage([
      { text: started + token(2, "a"), thenBreak: true },
      new Problem("network", "gone"),
      token(3, "b") + complete(4),
    ]);
    expect(await run(asking)).toEqual({ kind: "finished" });
    expect(texts(events)).toEqual(["a", "b"]);
    expect(links).toContainEqual({ state: "reconnecting", attempt: 2, because: "network" });
    expect(links.at(-1)).toEqual({ state: "live" });
  });

  it("passes each event on once, however often the server repeats it", async () => {
    const { run, events } = stage([
      started + token(2, "a") + token(3, "b"),
      started + token(2, "a") + token(3, "b") + token(4, "c") + complete(5),
    ]);
    await run(asking);
    expect(texts(events)).toEqual(["a", "b", "c"]);
    expect(events.filter((event) => event.type === "run_started")).toHaveLength(1);
  });

  it("reconnects after a server's shutdown, and says why", async () => {
    const bye = frame(null, {
      type: "server_shutdown",
      message: "restarting",
      run_id: "r1",
      last_event_id: 2,
    });
    const { run, requests, events, links } = stage([
      started + token(2, "a") + bye,
      token(3, "b") + complete(4),
    ]);
    expect(await run(asking)).toEqual({ kind: "finished" });
    expect(requests[1]?.path).toBe("/api/runs/r1/events?after=2");
    expect(links).toContainEqual({ state: "reconnecting", attempt: 1, because: "restart" });
    expect(events.some((event) => event.type === "server_shutdown")).toBe(false);
  });

  it("repeats the question under the same key when the answer never began", async () => {
    const { run, requests } = stage([new Problem("network", "gone"), started + complete(2)]);
    await run(asking);
    expect(requests.map(({ method, key }) => [method, key])).toEqual([
      ["POST", "k1"],
      ["POST", "k1"],
    ]);
  });

  it("waits as long as a draining server asks", async () => {
    const draining = new Problem("restarting", "stopping", 503, [], null, 9_000);
    const { run, waits } = stage([draining, started + complete(2)]);
    await run(asking);
    expect(waits).toEqual([9_000]);
  });

  it("gives up when the server refuses", async () => {
    const no = new Problem("refused", "There is a run already.", 409, [], "r9");
    const { run } = stage([no]);
    expect(await run(asking)).toEqual({ kind: "refused", problem: no });
  });

  it("picks up an existing run from its start", async () => {
    const { run, requests } = stage([started + complete(2)]);
    await run({ runId: "r1" });
    expect(requests[0]).toMatchObject({ path: "/api/runs/r1/events", method: "GET" });
  });

  it("stops at once when the page leaves", async () => {
    const controller = new AbortController();
    controller.abort();
    const { run, requests } = stage([], controller);
    expect(await run(asking)).toEqual({ kind: "left" });
    expect(requests).toEqual([]);
  });

  it("waits longer each time, up to a limit", () => {
    const delays = [1, 2, 3, 4, 20].map((attempt) => backoffMs(attempt, 1));
    expect(delays).toEqual([500, 1000, 2000, 4000, 15_000]);
    expect(backoffMs(3, 0)).toBe(1000);
  });
});
