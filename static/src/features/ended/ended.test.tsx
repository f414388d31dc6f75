import { beforeEach, describe, expect, it, vi } from "vitest";
import { newRun, type RunState } from "../../run/state";
import { button, click, render } from "../../test/render";
import { kept } from "../../ui/kept";
import { tellEnded } from "./ended";
import { longMs, useOffer } from "./notify";
import { NotifyOffer } from "./offer";

const shown = vi.fn();

function browser(permission: NotificationPermission, visibility: DocumentVisibilityState) {
  class Fake {
    static permission = permission;
    static requestPermission = vi.fn(async () => permission);
    constructor(title: string) {
      if (title !== "") shown(title);
    }
    close() {}
  }
  vi.stubGlobal("isSecureContext", true);
  vi.stubGlobal("Notification", Fake);
  vi.spyOn(document, "visibilityState", "get").mockReturnValue(visibility);
}

const ended = (status: RunState["status"], tookMs: number) =>
  tellEnded("c", {
    question: "Why?",
    attachments: [],
    begins: false,
    parent: undefined,
    edits: null,
    knew: 0,
    since: Date.now() - tookMs,
    run: { ...newRun, status },
    link: { state: "live" },
    refused: null,
    stopping: false,
    over: true,
  });

beforeEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  shown.mockClear();
  kept.write("notify", null);
  useOffer.setState({ open: false });
  document.title = "LLM Council";
});

describe("the tab's own sign", () => {
  it("tells a hidden tab's answer from its failure, and says nothing of what was stopped", () => {
    browser("denied", "hidden");
    ended("complete", 0);
    expect(document.title).toMatch(/^✓/);
    ended("failed", 0);
    expect(document.title).toMatch(/^✗/);
    ended("cancelled", 0);
    expect(document.title).toMatch(/^✗/);
  });
});

describe("notifications", () => {
  it("are offered after the first long run, and not again once one has said no", async () => {
    browser("default", "visible");
    const view = await render(<NotifyOffer />);
    ended("complete", longMs - 1000);
    expect(view.textContent).toBe("");
    await render(<NotifyOffer />);
    ended("complete", longMs);
    await render(<NotifyOffer />);
    expect(view.textContent).toContain("Shall the browser tell you");
    await click(button("No, thanks"));
    expect(view.textContent).toBe("");
    ended("complete", longMs);
    expect(useOffer.getState().open).toBe(false);
  });

  it("are not offered where the browser has none", () => {
    browser("denied", "visible");
    ended("complete", longMs);
    expect(useOffer.getState().open).toBe(false);
  });

  it("come for those who want them, and say whether there is an answer", async () => {
    browser("granted", "hidden");
    kept.write("notify", "on");
    ended("complete", 0);
    ended("failed", 0);
    expect(shown.mock.calls).toEqual([["The council has answered"], ["The council has no answer"]]);
  });

  it("come from the service worker where a page may make none, as on phones", async () => {
    browser("granted", "hidden");
    class Refusing {
      static permission = "granted";
      constructor() {
        throw new TypeError("Illegal constructor");
      }
    }
    vi.stubGlobal("Notification", Refusing);
    const showNotification = vi.fn(async () => undefined);
    const serviceWorker = { getRegistration: async () => ({ showNotification }) };
    vi.stubGlobal("navigator", { language: "en", languages: ["en"], serviceWorker });
    kept.write("notify", "on");
    ended("complete", 0);
    await vi.waitFor(() => expect(showNotification).toHaveBeenCalledOnce());
    expect(showNotification.mock.calls[0]).toEqual([
      "The council has answered",
      { body: "Why?", tag: "c", icon: "/favicon.svg", data: "/c/c" },
    ]);
  });
});
