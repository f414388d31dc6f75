import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { identity } from "../api/identity";
import type { CouncilEvent } from "../api/types";
import { backoffMs, type Ending, followRun, type Link, type Source } from "./resume";

// Nothing is asked for nobody.
beforeEach(() => identity.note("ann"));

// It would look for the server by itself, and count as a connection here.
vi.mock("../api/availability", () => ({ availability: { note: () => undefined } }));

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
const farewell = frame(null, {
  type: "server_shutdown",
  message: "restarting",
  run_id: "r1",
  last_event_id: 2,
});

/** One connection as the server sees it. */
class Connection {
  open = true;
  readonly path: string;
  readonly method: string;
  readonly key: string | null;
  #body: ReadableStreamDefaultController<Uint8Array> | null = null;
  #answer: (response: Response) => void = () => undefined;
  #fail: (error: unknown) => void = () => undefined;
  readonly response: Promise<Response>;

  constructor(path: string, init: RequestInit) {
    this.path = path;
    this.method = init.method ?? "GET";
    this.key = new Headers(init.headers).get("idempotency-key");
    this.response = new Promise((resolve, reject) => {
      this.#answer = resolve;
      this.#fail = reject;
    });
    init.signal?.addEventListener("abort", () => {
      this.open = false;
      this.#fail(new DOMException("aborted", "AbortError"));
      this.#body?.error(new DOMException("aborted", "AbortError"));
    });
  }

  accept(headers: Record<string, string> = {}) {
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.#body = controller;
      },
    });
    const type = { "content-type": "text/event-stream", ...headers };
    this.#answer(new Response(body, { headers: type }));
    return this;
  }

  refuse(status: number, body: object = {}, headers: Record<string, string> = {}) {
    this.open = false;
    this.#answer(
      new Response(JSON.stringify(body), {
        status,
        headers: { "content-type": "application/problem+json", ...headers },
      }),
    );
  }

  say(text: string) {
    this.#body?.enqueue(new TextEncoder().encode(text));
    return this;
  }

  end() {
    this.open = false;
    this.#body?.close();
  }

  cut() {
    this.open = false;
    this.#fail(new TypeError("Failed to fetch"));
    this.#body?.error(new TypeError("network error"));
  }
}

let connections: Connection[];
const nth = (at: number): Connection => {
  const connection = connections[at];
  if (!connection) throw new Error(`there is no connection ${at}, only ${connections.length}`);
  return connection;
};

beforeEach(() => {
  connections = [];
  vi.useFakeTimers();
  vi.spyOn(Math, "random").mockReturnValue(0);
  vi.stubGlobal("fetch", (path: string, init: RequestInit) => {
    // At no time are there two.
    expect(connections.filter(({ open }) => open)).toEqual([]);
    const connection = new Connection(path, init);
    connections.push(connection);
    return connection.response;
  });
});
afterEach(() => {
  vi.useRealTimers();
});

function follow(source: Source) {
  const events: CouncilEvent[] = [];
  const links: Link[] = [];
  const controller = new AbortController();
  const seen: { ending: Ending | null } = { ending: null };
  followRun(
    source,
    { onEvent: (event) => events.push(event), onLink: (link) => links.push(link) },
    controller.signal,
  ).then((ending) => {
    seen.ending = ending;
  });
  const texts = () =>
    events.flatMap((event) => (event.type === "stage3_token" ? [event.content] : []));
  return { events, links, texts, seen, leave: () => controller.abort() };
}

/** Lets what is due happen, and time pass. */
const pass = (ms = 0) => vi.advanceTimersByTimeAsync(ms);

describe("following a run", () => {
  it("ends when a terminal event arrives, and closes the connection", async () => {
    const { events, links, seen } = follow(asking);
    nth(0)
      .accept()
      .say(started + token(2, "a") + complete(3));
    await pass();
    expect(seen.ending).toEqual({ kind: "finished" });
    expect(nth(0)).toMatchObject({
      path: "/api/conversations/c1/message/stream",
      method: "POST",
      key: "k1",
      open: false,
    });
    expect(events.map((event) => event.type)).toEqual(["run_started", "stage3_token", "complete"]);
    expect(links).toEqual([{ state: "connecting" }, { state: "live" }]);
  });

  it("picks up an existing run from its start", async () => {
    const { seen } = follow({ runId: "r1" });
    nth(0)
      .accept()
      .say(started + complete(2));
    await pass();
    expect(nth(0)).toMatchObject({ path: "/api/runs/r1/events", method: "GET" });
    expect(seen.ending).toEqual({ kind: "finished" });
  });

  it("reads on after the last number when the connection breaks or just ends", async () => {
    const { texts, links, seen } = follow(asking);
    nth(0)
      .accept()
      .say(started + token(2, "a"));
    await pass();
    nth(0).cut();
    await pass(250);
    expect(nth(1)).toMatchObject({ path: "/api/runs/r1/events?after=2", method: "GET" });
    nth(1).accept().say(token(3, "b")).end();
    await pass(250);
    expect(nth(2).path).toBe("/api/runs/r1/events?after=3");
    nth(2)
      .accept()
      .say(token(4, "c") + complete(5));
    await pass();
    expect(texts()).toEqual(["a", "b", "c"]);
    expect(seen.ending).toEqual({ kind: "finished" });
    expect(links.map(({ state }) => state)).toEqual([
      "connecting",
      "live",
      "reconnecting",
      "live",
      "reconnecting",
      "live",
    ]);
  });

  it("passes each event on once, however often it is repeated, and over a leap", async () => {
    const { events, texts } = follow(asking);
    nth(0)
      .accept()
      .say(started + token(2, "a") + token(3, "b"))
      .end();
    await pass(250);
    const repeated = started + token(2, "a") + token(3, "b");
    nth(1)
      .accept()
      .say(repeated + token(100_004, "c"))
      .end();
    await pass(250);
    expect(nth(2).path).toBe("/api/runs/r1/events?after=100004");
    nth(2)
      .accept()
      .say(token(100_004, "c") + complete(100_005));
    await pass();
    expect(texts()).toEqual(["a", "b", "c"]);
    expect(events.filter((event) => event.type === "run_started")).toHaveLength(1);
  });

  it("goes on after numbers of events that it does not know", async () => {
    follow(asking);
    nth(0)
      .accept()
      .say(started + frame(2, { type: "hologram" }))
      .end();
    await pass(250);
    expect(nth(1).path).toBe("/api/runs/r1/events?after=2");
  });

  it("stops when the page leaves, and closes the connection", async () => {
    const { seen, leave } = follow(asking);
    nth(0).accept().say(started);
    await pass();
    leave();
    await pass();
    expect(seen.ending).toEqual({ kind: "left" });
    expect(nth(0).open).toBe(false);
    await pass(60_000);
    expect(connections).toHaveLength(1);
  });

  it("stops when the page leaves while it waits", async () => {
    const { seen, leave } = follow(asking);
    nth(0).cut();
    await pass();
    leave();
    await pass(60_000);
    expect(seen.ending).toEqual({ kind: "left" });
    expect(connections).toHaveLength(1);
  });
});

describe("a server that restarts", () => {
  it("is left at its farewell, even when it keeps the connection open", async () => {
    const { events, links } = follow(asking);
    nth(0)
      .accept()
      .say(started + token(2, "a") + farewell + token(3, "not any more"));
    await pass(250);
    expect(nth(0).open).toBe(false);
    expect(nth(1).path).toBe("/api/runs/r1/events?after=2");
    expect(links).toContainEqual({ state: "reconnecting", because: "restart" });
    expect(events.map((event) => event.type)).toEqual(["run_started", "stage3_token"]);
  });

  it("is still restarting while nobody answers, until it brings something new", async () => {
    const { links } = follow(asking);
    nth(0)
      .accept()
      .say(started + farewell);
    await pass(250);
    nth(1).cut();
    await pass(500);
    expect(links.at(-1)).toEqual({ state: "reconnecting", because: "restart" });
    nth(2).accept().say(token(3, "a"));
    await pass();
    nth(2).cut();
    await pass();
    expect(links.at(-1)).toEqual({ state: "reconnecting", because: "network" });
  });

  it("is asked again when it said", async () => {
    follow(asking);
    nth(0).accept().say(started).end();
    await pass(250);
    nth(1).refuse(503, { detail: "stopping" }, { "retry-after": "9" });
    await pass(8_999);
    expect(connections).toHaveLength(2);
    await pass(1);
    expect(connections).toHaveLength(3);
  });
});

describe("a question whose answer never began", () => {
  it("is sent again under the same key", async () => {
    const { seen } = follow(asking);
    nth(0).cut();
    await pass(250);
    nth(1).refuse(502);
    await pass(500);
    nth(2).refuse(503);
    await pass(1_000);
    nth(3).refuse(504);
    await pass(2_000);
    nth(4)
      .accept()
      .say(started + complete(2));
    await pass();
    expect(connections.map(({ method, key }) => `${method} ${key}`)).toEqual(
      Array(5).fill("POST k1"),
    );
    expect(seen.ending).toEqual({ kind: "finished" });
  });

  it("is not sent again when the server named the run before the connection broke", async () => {
    follow(asking);
    nth(0).accept({ "x-run-id": "r1" });
    await pass();
    nth(0).cut();
    await pass(250);
    expect(nth(1)).toMatchObject({ path: "/api/runs/r1/events", method: "GET" });
  });

  it.each([401, 404, 409, 422, 429, 500])(
    "is given up when it is refused with %i",
    async (status) => {
      const { seen } = follow(asking);
      nth(0).refuse(status, { detail: "No.", run_id: "r9" }, { "retry-after": "1" });
      await pass(60_000);
      expect(connections).toHaveLength(1);
      expect(seen.ending).toMatchObject({ kind: "refused", problem: { status } });
    },
  );
});

describe("a run that exists", () => {
  it.each([401, 403, 404])("is given up when it is refused with %i", async (status) => {
    const { seen } = follow({ runId: "r1" });
    nth(0).refuse(status);
    await pass(60_000);
    expect(connections).toHaveLength(1);
    expect(seen.ending).toMatchObject({ kind: "refused", problem: { status } });
  });

  it.each([429, 500, 503])("is asked for again after %i", async (status) => {
    const { seen } = follow({ runId: "r1" });
    nth(0).refuse(status);
    await pass(250);
    nth(1)
      .accept()
      .say(started + complete(2));
    await pass();
    expect(seen.ending).toEqual({ kind: "finished" });
  });
});

it("a run that waits is found again, though it has no numbered event yet", async () => {
  const { events } = follow(asking);
  const place = (position: number) => frame(null, { type: "run_queued", run_id: "r1", position });
  nth(0).accept().say(place(2));
  await pass();
  nth(0).cut();
  await pass(250);
  expect(nth(1)).toMatchObject({ path: "/api/runs/r1/events", method: "GET" });
  nth(1)
    .accept()
    .say(place(1) + started);
  await pass();
  expect(events.map(({ type }) => type)).toEqual(["run_queued", "run_queued", "run_started"]);
});

describe("silence", () => {
  it("of three heartbeats means that the connection is dead", async () => {
    follow({ runId: "r1" });
    nth(0).accept().say(started);
    await pass(44_000);
    expect(nth(0).open).toBe(true);
    await pass(2_000);
    expect(nth(0).open).toBe(false);
    expect(nth(1).path).toBe("/api/runs/r1/events?after=1");
  });

  it("is broken by heartbeats", async () => {
    follow({ runId: "r1" });
    nth(0).accept().say(started);
    for (let beat = 0; beat < 10; beat += 1) {
      await pass(15_000);
      nth(0).say(": ping\n\n");
    }
    expect(nth(0).open).toBe(true);
  });

  it("of a server that never answers counts as well", async () => {
    follow(asking);
    await pass(46_000);
    expect(nth(0).open).toBe(false);
    expect(nth(1)).toMatchObject({ method: "POST", key: "k1" });
  });

  it("of a laptop that slept is noticed soon after, by the clock on the wall", async () => {
    follow({ runId: "r1" });
    nth(0).accept().say(started);
    await pass();
    vi.setSystemTime(Date.now() + 3_600_000);
    await pass(5_250);
    expect(connections).toHaveLength(2);
  });
});

describe("a wake", () => {
  const show = () => document.dispatchEvent(new Event("visibilitychange"));

  it.each([
    ["the network's return", () => window.dispatchEvent(new Event("online"))],
    ["the person's return", show],
  ])("by %s ends the waiting, and the backoff begins anew", async (_, wake) => {
    follow({ runId: "r1" });
    for (const ms of [250, 500, 1_000, 2_000, 4_000]) {
      nth(connections.length - 1).cut();
      await pass(ms);
    }
    nth(5).cut();
    await pass(10);
    wake();
    await pass();
    expect(connections).toHaveLength(7);
    nth(6).cut();
    await pass(250);
    expect(connections).toHaveLength(8);
  });

  it("by the network drops a connection from before", async () => {
    follow({ runId: "r1" });
    nth(0).accept().say(started);
    await pass(1_000);
    window.dispatchEvent(new Event("online"));
    await pass(250);
    expect(nth(0).open).toBe(false);
    expect(connections).toHaveLength(2);
  });

  it("by the person drops a connection only if that has missed a heartbeat", async () => {
    follow({ runId: "r1" });
    nth(0).accept().say(started);
    await pass(19_000);
    show();
    expect(nth(0).open).toBe(true);
    await pass(1_500);
    show();
    await pass(250);
    expect(connections).toHaveLength(2);
  });

  it("is not what a page does that is hidden", async () => {
    vi.spyOn(document, "visibilityState", "get").mockReturnValue("hidden");
    follow({ runId: "r1" });
    nth(0).cut();
    await pass(10);
    show();
    await pass();
    expect(connections).toHaveLength(1);
  });
});

it("waits longer each time, up to a limit", () => {
  expect([1, 2, 3, 4, 20].map((failures) => backoffMs(failures, 1))).toEqual([
    500, 1000, 2000, 4000, 15_000,
  ]);
  expect(backoffMs(3, 0)).toBe(1000);
});
