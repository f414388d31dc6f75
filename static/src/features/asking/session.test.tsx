import { act, useEffect } from "react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { api } from "../../api/client";
import { identity } from "../../api/identity";
import { Problem } from "../../api/problem";
import { keys, queryClient } from "../../api/queries";
import type { AssistantMessage, Conversation, CouncilEvent } from "../../api/types";
import type { Ending, Listeners, Source } from "../../stream/resume";
import { render } from "../../test/render";
import { files } from "../attachments/chosen";
import { isElsewhere } from "../branches/elsewhere";
import { drafts, newIn } from "../composer/draft";
import { newConversation, useConversation } from "./conversation";
import { forget } from "./live";
import { next } from "./next";
import { useRefusals } from "./refusals";
import { isFollowed, useLiveRuns } from "./runs";
import { begin, resume, settleWith, start } from "./session";

interface Followed {
  source: Source;
  listeners: Listeners;
  end: (ending: Ending) => void;
}
const followed = vi.hoisted(() => [] as Followed[]);
vi.mock("../../stream/resume", () => ({
  followRun: (source: Source, listeners: Listeners, signal: AbortSignal) =>
    new Promise<Ending>((end) => {
      followed.push({ source, listeners, end });
      signal.addEventListener("abort", () => end({ kind: "left" }));
    }),
}));

const answer = (id: string, parent_id: string) =>
  ({ role: "assistant", id, parent_id, status: "complete", metadata: {} }) as AssistantMessage;
const question = (id: string, parent_id: string | null) =>
  ({ role: "user", id, parent_id, content: `${id}?`, created_at: "" }) as const;

/** Two questions in one place, each with its answer: two branches. */
const branches: Record<string, Conversation["messages"]> = {
  a1: [question("q1", null), answer("a1", "q1")],
  a2: [question("q2", null), answer("a2", "q2")],
};
const read = vi.fn<(id: string, branch?: string) => Promise<Conversation>>();
/** The branch that the server remembers, and what is being written. */
let remembered = "a1";
let live: Conversation["live"] = null;
let count = 2;
/** How many messages there are, on all branches. */
let known = 4;

const event = (of: object) => of as unknown as CouncilEvent;

function Page() {
  const { data } = useConversation("c");
  const run = useLiveRuns(({ runs }) => runs.c ?? null);
  // As the page does.
  useEffect(() => {
    if (data && run?.over) settleWith(data);
  }, [data, run]);
  const elsewhere = data && run ? isElsewhere(run, data) : false;
  return <p>{`${data?.messages.at(-1)?.id} ${elsewhere} ${data?.live?.message_id ?? "still"}`}</p>;
}

/** Waits until it is so, and lets the page be drawn meanwhile. */
async function until(isSo: () => boolean) {
  for (let tries = 0; tries < 200 && !isSo(); tries += 1) {
    await act(() => new Promise((done) => setTimeout(done, 5)));
  }
  expect(isSo()).toBe(true);
}

/** Waits until this many runs have been followed; returns the last of them. */
async function follows(number: number): Promise<Followed> {
  await until(() => followed.length >= number);
  const last = followed.at(-1);
  if (!last) throw new Error("nothing is followed");
  return last;
}

const begins = (run: Followed, run_id: string, message_id: string) =>
  act(async () =>
    run.listeners.onEvent(
      event({ type: "run_started", run_id, conversation_id: "c", message_id, seq: 1 }),
    ),
  );

async function ends(run: Followed) {
  live = null;
  await act(async () => {
    run.listeners.onEvent(event({ type: "complete", seq: 2 }));
    run.end({ kind: "finished" });
  });
}

/** Lets the next reading of the conversation wait; the function that is returned lets it go on. */
function holdReading(): () => void {
  let goOn = () => {};
  const held = new Promise<void>((done) => {
    goOn = done;
  });
  const usual = read.getMockImplementation();
  read.mockImplementationOnce(async (...asked) => {
    await held;
    if (!usual) throw new Error("nothing is read");
    return usual(...asked);
  });
  return goOn;
}

const inTheWay = (runId: string) =>
  new Problem("refused", "A run is under way here.", 409, [], runId);
const refusals = () => Object.values(useRefusals.getState().refusals).map(({ runId }) => runId);

beforeEach(async () => {
  await identity.note("ann");
  localStorage.clear();
  sessionStorage.clear();
  followed.length = 0;
  remembered = "a1";
  live = null;
  count = 2;
  known = 4;
  useRefusals.setState({ refusals: {} });
  read.mockReset().mockImplementation(async (_, branch) => {
    const messages = branches[branch ?? remembered];
    if (!messages) throw new Problem("refused", `no branch ${branch}`, 404);
    const head = { ...newConversation("c"), running: false, branches: count, message_count: known };
    return { ...head, messages, live };
  });
  vi.spyOn(api, "conversation").mockImplementation(read);
});
afterEach(() => {
  act(() => forget("c"));
  drafts.clear("c");
  queryClient.clear();
});

it("a run on a branch that was left is seen to its end, and what waits for it is asked there", async () => {
  const page = await render(<Page />, queryClient);
  live = { message_id: "a2", run_id: "r2" };
  await act(() => queryClient.invalidateQueries({ queryKey: keys.conversation("c") }));
  act(() => resume("c", "r2", "a2"));
  expect(page.textContent).toBe("a1 true a2");
  next.add("c", { content: "And then?", parent_message_id: "a2" });
  await ends(await follows(1));
  const then = await follows(2);
  expect(then.source.ask?.body).toEqual({ content: "And then?", parent_message_id: "a2" });
  // Only what was asked just now is said to be written there, and the page stays where it is.
  expect(page.textContent).toBe("a1 true still");
  live = { message_id: "a3", run_id: "r3" };
  known = 6;
  await begins(then, "r3", "a3");
  await until(() => page.textContent === "a1 true a3");
  expect(read.mock.calls.map(([, branch]) => branch)).toEqual([undefined, "a1", "a1", "a1"]);
});

it("of several that wait, each goes on from the answer of the one before, to whom it was for", async () => {
  await render(<Page />, queryClient);
  act(() => resume("c", "r1", "a1"));
  next.add("c", { content: "Basil?", parent_message_id: "a1", direct_to: "Basil" });
  next.add("c", { content: "All?", parent_message_id: "a1" });
  const first = await follows(1);
  await begins(first, "r1", "a1");
  await ends(first);
  const second = await follows(2);
  expect(second.source.ask?.body).toEqual({
    content: "Basil?",
    parent_message_id: "a1",
    direct_to: "Basil",
  });
  await begins(second, "r2", "a2");
  await ends(second);
  const third = await follows(3);
  expect(third.source.ask?.body).toEqual({ content: "All?", parent_message_id: "a2" });
  expect(next.read("c")).toEqual([]);
});

it("what is asked right after an answer comes before the question that waits for it", async () => {
  await render(<Page />, queryClient);
  act(() => resume("c", "r1", "a1"));
  next.add("c", { content: "And then?" });
  const first = await follows(1);
  await begins(first, "r1", "a1");
  const goOn = holdReading();
  await ends(first);
  act(() => start("c", { content: "At once?" }));
  const second = await follows(2);
  goOn();
  await until(() => queryClient.isFetching() === 0);
  await begins(second, "r2", "a2");
  await ends(second);
  const third = await follows(3);
  expect(second.source.ask?.body).toEqual({ content: "At once?" });
  expect(third.source.ask?.body).toEqual({ content: "And then?", parent_message_id: "a2" });
  expect(next.read("c")).toEqual([]);
});

it("where another tab has asked the question that waited, the one behind it waits on", async () => {
  await render(<Page />, queryClient);
  act(() => resume("c", "r1", "a1"));
  next.add("c", { content: "All?" });
  next.add("c", { content: "Basil?", direct_to: "Basil" });
  const first = await follows(1);
  await begins(first, "r1", "a1");
  const goOn = holdReading();
  await ends(first);
  // As another tab does.
  next.take("c");
  goOn();
  await until(() => queryClient.isFetching() === 0);
  await act(async () => undefined);
  expect(followed).toHaveLength(1);
  expect(next.read("c").map(({ body }) => body.content)).toEqual(["Basil?"]);
  next.write("c", []);
});

it("what was written for one question goes with it, and comes back where that is refused", async () => {
  await render(<Page />, queryClient);
  const rubric = { text: "- Brief" };
  drafts.write("c", { content: "Why?", choices: { rubric, use_cot: true } });
  drafts.sent("c");
  expect(drafts.read("c")).toMatchObject({ content: "", choices: { use_cot: true } });
  expect(drafts.read("c").choices.rubric).toBeUndefined();
  act(() => start("c", { content: "Why?", rubric }));
  const refused = await follows(1);
  await act(async () =>
    refused.end({ kind: "refused", problem: new Problem("refused", "Too much.", 402) }),
  );
  await until(() => drafts.read("c").content === "Why?");
  expect(drafts.read("c").choices).toEqual({ rubric, use_cot: true });
});

it("what is refused because its files are gone is given back, and says which they are", async () => {
  await render(<Page />, queryClient);
  const attachments = [
    { id: "f1", filename: "plan.pdf" },
    { id: "f2", filename: "costs.csv" },
  ];
  const gone = (...places: number[]) =>
    new Problem(
      "refused",
      "attachments: is not one of your files",
      422,
      places.map((at) => ({ field: `attachments.${at}`, message: "is not one of your files" })),
    );
  const said = () => Object.values(useRefusals.getState().refusals).map(({ message }) => message);
  act(() => start("c", { content: "Why?", attachments }));
  const first = await follows(1);
  await act(async () => first.end({ kind: "refused", problem: gone(1) }));
  await until(() => drafts.read("c").content === "Why?");
  const advice = "Add again what the question needs, and remove the rest.";
  expect(said()).toEqual([`The server no longer has costs.csv. ${advice}`]);
  drafts.clear("c");
  act(() => start("c", { content: "Why?", attachments }));
  const second = await follows(2);
  await act(async () => second.end({ kind: "refused", problem: gone(0, 1) }));
  await until(() => drafts.read("c").content === "Why?");
  expect(said()).toEqual([`The server no longer has plan.pdf and costs.csv. ${advice}`]);
  files.clear("c");
});

it("a page shows the branch that was asked on it, and stays on its own when another tab asks", async () => {
  const page = await render(<Page />, queryClient);
  act(() => start("c", { content: "q2?", parent_message_id: null }));
  const run = await follows(1);
  remembered = "a2";
  await begins(run, "r2", "a2");
  await until(() => page.textContent === "a2 false still");
  await ends(run);
  // Another tab looks at the first branch.
  remembered = "a1";
  await act(() => queryClient.invalidateQueries({ queryKey: keys.conversation("c") }));
  expect(page.textContent).toBe("a2 false still");
});

it("a question on a branch waits for the run that another tab began on another one", async () => {
  await render(<Page />, queryClient);
  live = { message_id: "a2", run_id: "r2" };
  remembered = "a2";
  act(() => start("c", { content: "And then?", parent_message_id: "a1" }));
  const refused = await follows(1);
  await act(async () => refused.end({ kind: "refused", problem: inTheWay("r2") }));
  const run = await follows(2);
  expect(run.source.runId).toBe("r2");
  const waits = next.read("c").map(({ body }) => body);
  expect(waits).toEqual([{ content: "And then?", parent_message_id: "a1" }]);
  expect([refusals(), drafts.read("c").content]).toEqual([[], ""]);
  expect(read).toHaveBeenLastCalledWith("c", "a1");
  await begins(run, "r2", "a2");
  await ends(run);
  const asked = await follows(3);
  expect(asked.source.ask?.body).toEqual({ content: "And then?", parent_message_id: "a1" });
});

it("on the same branch it is given back, and the reason goes with the run that was in the way", async () => {
  count = 1;
  await render(<Page />, queryClient);
  live = { message_id: "a1", run_id: "r1" };
  act(() => start("c", { content: "And then?" }));
  const refused = await follows(1);
  await act(async () => refused.end({ kind: "refused", problem: inTheWay("r1") }));
  const run = await follows(2);
  expect([next.read("c"), drafts.read("c").content]).toEqual([[], "And then?"]);
  expect(refusals()).toEqual(["r1"]);
  await begins(run, "r1", "a1");
  await ends(run);
  await until(() => refusals().length === 0);
  expect([isFollowed("c"), drafts.read("c").content]).toEqual([false, "And then?"]);
});

it("a first question in a project leaves what is typed at home, and is given back in the project", async () => {
  const place = newIn("p-1");
  drafts.write(null, { content: "At home?" });
  drafts.write(place, { content: "Here?" });
  const ask = { content: "Here?", project_id: "p-1" };
  const refused = begin(ask);
  const problem = new Problem("refused", "Not now.", 503);
  await act(async () => (await follows(1)).end({ kind: "refused", problem }));
  expect([await refused, drafts.read(place).content]).toEqual([null, "Here?"]);
  expect(useRefusals.getState().refusals).toEqual({ "new:p-1": problem });

  // The server takes its time: its page is shown by then.
  const id = await begin(ask);
  expect(drafts.read(place).content).toBe("");
  history.replaceState(null, "", `/c/${id}`);
  await act(async () => (await follows(2)).end({ kind: "refused", problem }));
  await until(() => location.pathname === "/p/p-1");
  expect([drafts.read(place).content, drafts.read(null).content]).toEqual(["Here?", "At home?"]);
  history.replaceState(null, "", "/");
  for (const one of [null, place]) drafts.clear(one);
});

it("another tab of the browser is told that something is asked", async () => {
  await render(<Page />, queryClient);
  read.mockClear();
  const other = new BroadcastChannel("asked");
  other.postMessage("c");
  await until(() => read.mock.calls.length > 0);
  other.close();
});
