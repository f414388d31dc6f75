import { act } from "react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { identity } from "../../api/identity";
import type { Access } from "../../api/own-data";
import { queryClient } from "../../api/queries";
import { button, click, render, settled } from "../../test/render";
import { kept } from "../../ui/kept";
import { useSlots } from "../../ui/slots";
import { watch } from "./told";

const access = (at: string | null, more: Partial<Access> = {}): Access => ({
  id: `a-${at}`,
  user: "ann",
  reason: "Her manager asked",
  hours: 2,
  requested_by: "root",
  requested_at: "2026-03-12T08:00:00.000000",
  approved_by: at && "rita",
  approved_at: at,
  expires_at: null,
  revoked_by: null,
  revoked_at: null,
  is_open: false,
  reads: [],
  ...more,
});

let known: Access[];

beforeEach(async () => {
  queryClient.clear();
  useSlots.setState({ page: null, notice: null });
  kept.write("access-seen", null);
  known = [access("2026-03-12T09:00:00.000000")];
  vi.spyOn(globalThis, "fetch").mockImplementation(async () => Response.json({ access: known }));
  await identity.note("ann");
});
afterEach(() => vi.useRealTimers());

const Shown = () => (
  <main id="main" tabIndex={-1}>
    {useSlots((slots) => slots.notice)}
  </main>
);
let page: HTMLElement;
const show = async () => {
  page = await render(<Shown />, queryClient);
  await act(() => watch());
};

describe("administrators who were let in", () => {
  it("are told of until that is dismissed, and the focus stays in the page", async () => {
    await show();
    await settled("The administrators root and rita have been allowed");
    expect(page.querySelector("a")?.getAttribute("href")).toBe("/settings#own-data");
    button("Dismiss")?.focus();
    await click(button("Dismiss"));
    expect(page.textContent).toBe("");
    expect(document.activeElement?.id).toBe("main");
    await act(() => watch());
    expect(page.textContent).toBe("");
  });

  it("are told of once more when others are", async () => {
    kept.write("access-seen", "2026-03-12T09:00:00.000000");
    known = [access("2026-03-14T09:00:00.000000", { approved_by: "rob" }), ...known];
    await show();
    await settled("root and rob");
  });

  it("are seen where the way to what they read is gone", async () => {
    await show();
    await click(page.querySelector("a"));
    expect(location.pathname + location.hash).toBe("/settings#own-data");
    expect(useSlots.getState().notice).toBeNull();
    expect(kept.read("access-seen")).toBe("2026-03-12T09:00:00.000000");
  });

  it("are not spoken of as long as only one has asked", async () => {
    known = [access(null)];
    await show();
    expect(page.textContent).toBe("");
  });

  it("are asked for again in a page that comes back after hours", async () => {
    known = [];
    vi.useFakeTimers({ now: new Date("2026-03-12T12:00:00Z"), toFake: ["Date"] });
    await show();
    known = [access("2026-03-12T12:30:00.000000")];
    await act(async () => dispatchEvent(new Event("focus")));
    expect(page.textContent).toBe("");
    vi.setSystemTime(new Date("2026-03-12T15:00:00Z"));
    await act(async () => dispatchEvent(new Event("focus")));
    await settled("have been allowed");
  });

  it("are asked for at the next return where that failed, and not after hours more", async () => {
    known = [];
    vi.useFakeTimers({ now: new Date("2026-03-13T12:00:00Z"), toFake: ["Date"] });
    await show();
    known = [access("2026-03-13T12:30:00.000000")];
    vi.setSystemTime(new Date("2026-03-13T15:00:00Z"));
    const failed = Response.json({ detail: "No." }, { status: 500 });
    vi.mocked(fetch).mockResolvedValueOnce(failed);
    await act(async () => dispatchEvent(new Event("focus")));
    await vi.waitFor(async () => {
      await act(async () => dispatchEvent(new Event("focus")));
      expect(page.textContent).toContain("have been allowed");
    });
  });

  it("are asked for by whoever watches once more where the first look failed", async () => {
    vi.mocked(fetch).mockResolvedValueOnce(Response.json({ detail: "No." }, { status: 500 }));
    await expect(watch()).rejects.toThrow("No.");
    await show();
    await settled("have been allowed");
  });
});
