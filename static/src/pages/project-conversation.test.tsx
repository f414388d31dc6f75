import { act } from "react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { queryClient } from "../api/queries";
import { render, settled } from "../test/render";
import { answer, review, seats, storedRun, synthesis } from "../test/samples";
import ProjectConversationPage from "./project-conversation";

const { run_id: _, ...final } = storedRun(
  seats.map((seat) => answer(seat)),
  seats.map((seat) => review(seat)),
  synthesis({ response: "They stand still." }),
);
const beingWritten = { ...final, stage3: null, status: "running" };

/** The answer as it is by now. */
let now: object;
let asked: number;

beforeEach(() => {
  queryClient.clear();
  asked = 0;
  vi.spyOn(globalThis, "fetch").mockImplementation(async (path) => {
    const isIt = String(path).endsWith("/conversations/c-1");
    if (!isIt) return Response.json({ projects: [], total: 0 });
    asked += 1;
    const question = { id: "q1", parent_id: null, role: "user", content: "Why do they wait?" };
    return Response.json({
      id: "c-1",
      title: "Herons",
      title_is_default: false,
      author: "ann",
      is_mine: false,
      created_at: "2026-03-12T09:00:00.000000",
      updated_at: "2026-03-12T09:00:00.000000",
      message_count: 2,
      messages: [{ ...question, created_at: "2026-03-12T09:00:00.000000" }, now],
    });
  });
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

it("an answer that is being written is there once it is, and is asked for no longer", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  now = beingWritten;
  const page = await render(<ProjectConversationPage id="p-1" cid="c-1" />, queryClient);
  await settled("Why do they wait?");
  expect(page.textContent).not.toContain("They stand still.");
  now = final;
  await act(async () => vi.advanceTimersByTime(10_000));
  await settled("They stand still.");
  await act(async () => vi.advanceTimersByTime(60_000));
  expect(asked).toBe(2);
});
