import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { Problem } from "./api/problem";
import { watch } from "./features/own-data/told";
import { tell } from "./prefetch";

vi.mock(import("./features/own-data/told"), () => ({ watch: vi.fn() }));

const minuteMs = 60_000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  vi.mocked(watch).mockReset().mockResolvedValue(undefined);
});
afterEach(() => vi.useRealTimers());

it.each([
  // What a browser throws where a file or an answer does not come.
  ["a cut", () => new TypeError("Failed to fetch")],
  ["a restart", () => new Problem("restarting", "The server is restarting.", 503)],
])("who was let in is asked for again after %s, until it is known", async (_, problem) => {
  vi.mocked(watch).mockRejectedValueOnce(problem()).mockRejectedValueOnce(problem());
  await tell();
  expect(watch).toHaveBeenCalledTimes(1);
  for (const times of [2, 3]) {
    await vi.waitFor(() => expect(vi.getTimerCount()).toBe(1));
    vi.advanceTimersByTime(minuteMs);
    await vi.waitFor(() => expect(watch).toHaveBeenCalledTimes(times));
  }
  expect(vi.getTimerCount()).toBe(0);
});

it("what the server refuses is not asked for again", async () => {
  vi.mocked(watch).mockRejectedValueOnce(new Problem("refused", "No.", 500));
  await tell();
  expect(watch).toHaveBeenCalledTimes(1);
  expect(vi.getTimerCount()).toBe(0);
});
