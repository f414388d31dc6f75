import { act } from "react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { api } from "../../api/client";
import { Problem } from "../../api/problem";
import { button, click, render } from "../../test/render";
import { Awaited } from "./awaited";
import { UnderWayContext } from "./context";

const noon = Date.parse("2026-11-22T12:00:00Z");
const at = (ms: number) => new Date(noon + ms).toISOString();

beforeEach(() => {
  vi.useFakeTimers({ now: noon, toFake: ["Date", "setInterval", "clearInterval"] });
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const shown = (since: string | null, runId: string | null = "r1", stage?: string) =>
  render(
    <UnderWayContext value={runId}>
      <Awaited member="c/silent" stage={stage} since={since} />
    </UnderWayContext>,
  );

const wait = (ms: number) => act(async () => vi.advanceTimersByTime(ms));

const seconds = (place: HTMLElement) => place.querySelector("[role=timer]")?.textContent;

it.each([
  ["by the server's clock", at(-7_000), "7 s", "9 s"],
  ["from now on where the server did not say", null, "0 s", "2 s"],
  ["from now on where the server's clock is ahead", at(60_000), "0 s", "2 s"],
  ["in minutes where it takes long", at(-61_000), "1 min 1 s", "1 min 3 s"],
])("the seconds are counted %s", async (_, since, first, later) => {
  const place = await shown(since);
  expect(seconds(place)).toBe(first);
  await wait(2_000);
  expect(seconds(place)).toBe(later);
});

it("going on without it is offered after a while, asked for once, and says what went wrong", async () => {
  const skip = vi.spyOn(api, "skip").mockRejectedValueOnce(new Error("gone"));
  const place = await shown(at(0));
  expect(place.querySelector("button")).toBeNull();
  await wait(5_000);
  await click(button("Go on without it"));
  expect(skip).toHaveBeenCalledExactlyOnceWith("r1", "c/silent", undefined);
  expect(place.textContent).toContain("It is still waited for.");

  skip.mockResolvedValueOnce({});
  await click(button("Go on without it"));
  await click(button("Going on…"));
  expect(skip).toHaveBeenCalledTimes(2);
  expect(place.textContent).not.toContain("It is still waited for.");
});

it("whoever has answered meanwhile is not said to be waited for", async () => {
  const words = "It is no longer waited for: it has answered, or the run is over.";
  vi.spyOn(api, "skip").mockRejectedValueOnce(
    new Problem("refused", words, 409, [], null, null, null, "not-awaited"),
  );
  const place = await shown(at(-7_000));
  await click(button("Go on without it"));
  expect(place.textContent).toContain(words);
  expect(place.textContent).not.toContain("still");
});

it("whoever is asked for two things at once is gone on without where that is said", async () => {
  const skip = vi.spyOn(api, "skip").mockResolvedValueOnce({});
  await shown(at(-7_000), "r1", "stage2");
  await click(button("Go on without it"));
  expect(skip).toHaveBeenCalledExactlyOnceWith("r1", "c/silent", "stage2");
});

it("a run that is not under way has nothing to wait for", async () => {
  const place = await shown(at(-7_000), null);
  expect(place.textContent).toBe("");
});

it("the seconds are those of the server's clock where this computer's is fast", async () => {
  const date = new Date(noon - 600_000).toUTCString();
  vi.spyOn(globalThis, "fetch").mockResolvedValue(new Response("{}", { headers: { date } }));
  await api.version();
  const place = await shown(at(-607_000));
  expect(seconds(place)).toBe("7 s");
  await wait(2_000);
  expect(seconds(place)).toBe("9 s");
});
