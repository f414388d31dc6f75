import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { identity } from "../../api/identity";
import { askAgain, useAsking } from "./asking";

// Nothing is asked for nobody.
beforeEach(() => identity.note("ann"));

vi.mock("../asking/session", () => ({ takeOver: () => undefined }));

const askable = { conversationId: "c1", runId: "r1", messageId: "m1" };
const keys: (string | null)[] = [];

beforeEach(() => {
  keys.length = 0;
  useAsking.setState({ runs: {} });
  vi.stubGlobal("fetch", (path: string, init: RequestInit) => {
    if (path.endsWith("/retry")) keys.push(new Headers(init.headers).get("idempotency-key"));
    return Promise.reject(new TypeError("Failed to fetch"));
  });
});
afterEach(() => vi.unstubAllGlobals());

it("a second try of the same is the same request", async () => {
  await askAgain(askable, "menu", { from: "stage2" });
  await askAgain(askable, "menu", { from: "stage2" });
  expect(keys).toEqual([expect.any(String), keys[0]]);
});

it("something else from the same menu is another request", async () => {
  await askAgain(askable, "menu", { from: "stage2" });
  await askAgain(askable, "menu", { from: "stage3" });
  expect(keys).toEqual([expect.any(String), expect.any(String)]);
  expect(keys[1]).not.toBe(keys[0]);
});
