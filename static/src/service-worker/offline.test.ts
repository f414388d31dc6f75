import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { english } from "./messages";
import { comeBack, offlinePage } from "./offline";

const reload = vi.fn<() => void>();
let answer: () => Promise<{ status: number }>;
const asked = vi.fn<(path: string, init: RequestInit) => void>();

beforeEach(() => {
  vi.useFakeTimers();
  reload.mockReset();
  asked.mockReset();
  vi.spyOn(location, "reload").mockImplementation(reload);
  vi.stubGlobal("fetch", (path: string, init: RequestInit) => {
    asked(path, init);
    return answer();
  });
});
afterEach(() => vi.useRealTimers());

it("comes back by itself once something answers, and not for the error of a proxy", async () => {
  answer = () => Promise.reject(new TypeError("Failed to fetch"));
  comeBack();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(asked).toHaveBeenCalledExactlyOnceWith("/health/live", {
    cache: "no-store",
    redirect: "manual",
  });
  answer = async () => ({ status: 502 });
  await vi.advanceTimersByTimeAsync(5_000);
  expect(reload).not.toHaveBeenCalled();
  // A redirect to a sign-in: with `redirect: "manual"` its status is 0.
  answer = async () => ({ status: 0 });
  dispatchEvent(new Event("online"));
  await vi.advanceTimersByTimeAsync(0);
  expect(reload).toHaveBeenCalledOnce();
});

it("its policy lets this one script run, and no other", async () => {
  const page = offlinePage(english);
  const policy = page.headers.get("content-security-policy") ?? "";
  const text = await page.text();
  const [, nonce] = /<script nonce="([^"]+)">/.exec(text) ?? [];
  expect(policy).toContain(`script-src 'nonce-${nonce}'`);
  expect(policy).toContain("default-src 'none'");
  expect(text.match(/<script/g)).toHaveLength(1);
  expect(text).toContain("/health/live");
  expect(await offlinePage(english).text()).not.toContain(String(nonce));
});
