import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { availability } from "./availability";

const looks = vi.fn<typeof fetch>();

beforeEach(() => {
  vi.useFakeTimers();
  looks.mockRejectedValue(new TypeError("Failed to fetch"));
  vi.stubGlobal("fetch", looks);
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

it("looks again at once when the network is back, and less and less often when that was not it", async () => {
  availability.note("unreachable");
  dispatchEvent(new Event("online"));
  await vi.advanceTimersByTimeAsync(0);
  expect(looks).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(60_000);
  // After 1, 1.6, 2.6, 4.1, 6.6 and then every 10 seconds.
  expect(looks).toHaveBeenCalledTimes(10);

  looks.mockResolvedValue(new Response("ok"));
  await vi.advanceTimersByTimeAsync(10_000);
  expect(availability.now()).toBeNull();
});
