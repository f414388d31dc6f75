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

it.each([
  ["goes to where it is answered", "/c/c1", 1],
  ["leaves alone whoever reads another conversation by then", "/c/c2", 0],
])("asking again %s", async (_, path, times) => {
  vi.stubGlobal("fetch", async () => Response.json({ run_id: "r2" }));
  const seen = vi.fn();
  Element.prototype.scrollIntoView = seen;
  document.body.innerHTML = '<section class="turn"></section>';
  history.replaceState(null, "", "/c/c1");
  const asked = askAgain(askable, "menu", { from: "stage2" });
  history.replaceState(null, "", path);
  await asked;
  await new Promise(requestAnimationFrame);
  expect(seen).toHaveBeenCalledTimes(times);
  document.body.innerHTML = "";
  history.replaceState(null, "", "/");
});

it("something else from the same menu is another request", async () => {
  await askAgain(askable, "menu", { from: "stage2" });
  await askAgain(askable, "menu", { from: "stage3" });
  expect(keys).toEqual([expect.any(String), expect.any(String)]);
  expect(keys[1]).not.toBe(keys[0]);
});
