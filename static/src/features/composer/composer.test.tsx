import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act } from "react";
import { flushSync } from "react-dom";
import { createRoot, type Root } from "react-dom/client";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { identity } from "../../api/identity";
import { keys } from "../../api/queries";
import type { Ask } from "../../api/types";
import { config } from "../../test/samples";
import { Composer } from "./composer";
import { drafts } from "./draft";

let place: HTMLElement;
let root: Root;
const asked = vi.fn<(body: Ask) => Promise<void>>();

beforeEach(async () => {
  await identity.note("ann");
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
  localStorage.clear();
  asked.mockReset().mockResolvedValue();
  place = document.body.appendChild(document.createElement("div"));
  root = createRoot(place);
});
afterEach(async () => {
  await act(async () => root.unmount());
  place.remove();
  drafts.clear("c1");
});

let client: QueryClient;

const composer = (
  running: boolean,
  onStop: () => void = () => undefined,
  edits = false,
  stopping = false,
) => (
  <QueryClientProvider client={client}>
    <Composer
      conversationId="c1"
      {...(edits && { edits: { draft: "edit:q1", parentId: null, onCancel: () => undefined } })}
      running={running}
      stopping={stopping}
      refusal={null}
      onAsk={asked}
      onStop={onStop}
    />
  </QueryClientProvider>
);

async function show(running = false, onStop?: () => void, limit = 1000, isRead = true) {
  client = new QueryClient();
  client.setQueryDefaults(keys.config, { enabled: false });
  client.setQueryDefaults(keys.presets, { enabled: false });
  const limits = { ...config.limits, max_content_chars: limit };
  if (isRead) client.setQueryData(keys.config, { ...config, limits });
  await act(async () => root.render(composer(running, onStop)));
  const box = place.querySelector("textarea");
  if (!box) throw new Error("the composer has no box");
  return box;
}

async function press(box: HTMLElement, init: KeyboardEventInit) {
  const event = new KeyboardEvent("keydown", { bubbles: true, cancelable: true, ...init });
  await act(async () => box.dispatchEvent(event));
  return event;
}

describe("the composer", () => {
  it("sends on Enter", async () => {
    drafts.write("c1", { content: "Why?" });
    await press(await show(), { key: "Enter" });
    expect(asked).toHaveBeenCalledExactlyOnceWith({ content: "Why?" });
  });

  it("keeps a question that comes before the settings, and asks it with what they say", async () => {
    drafts.write("c1", { content: "Why?" });
    const box = await show(false, undefined, 1000, false);
    const button = place.querySelector<HTMLButtonElement>(".send-button");
    await press(box, { key: "Enter" });
    await press(box, { key: "Enter" });
    const isUnderWay = button?.getAttribute("aria-disabled");
    expect([asked.mock.calls.length, isUnderWay, box.value]).toEqual([0, "true", "Why?"]);
    // By itself the server gives an earlier answer without asking.
    const features = { ...config.features, cache: true };
    const settings = { ...config, features, default_options: { use_cache: true } };
    await act(async () => client.setQueryData(keys.config, settings));
    expect(asked).toHaveBeenCalledExactlyOnceWith({ content: "Why?", cache_mode: "offer" });
  });

  it("keeps what was written for the question when another council is chosen", async () => {
    const rubric = { text: "- Brief" };
    drafts.write("c1", { content: "Why?", choices: { rubric, use_cot: true } });
    const box = await show();
    const preset = { id: "p1", name: "Careful", shared: false, settings: {}, options: {} };
    await act(async () => client.setQueryData(keys.presets, [preset]));
    const select = place.querySelector<HTMLSelectElement>("[aria-label='Council to ask']");
    if (!select) throw new Error("there is no choice of councils");
    await act(async () => {
      select.value = "p1";
      select.dispatchEvent(new Event("change", { bubbles: true }));
    });
    await press(box, { key: "Enter" });
    expect(asked).toHaveBeenCalledOnce();
    expect(asked.mock.calls[0]?.[0]).toMatchObject({ preset_id: "p1", rubric });
    expect(asked.mock.calls[0]?.[0]).not.toHaveProperty("use_cot");
  });

  it("leaves Shift and Enter to the box", async () => {
    drafts.write("c1", { content: "Why?" });
    const event = await press(await show(), { key: "Enter", shiftKey: true });
    expect(asked).not.toHaveBeenCalled();
    expect(event.defaultPrevented).toBe(false);
  });

  it("leaves Enter to an input method that composes", async () => {
    drafts.write("c1", { content: "なぜ" });
    const event = await press(await show(), { key: "Enter", isComposing: true });
    expect(asked).not.toHaveBeenCalled();
    expect(event.defaultPrevented).toBe(false);
  });

  it("leaves Enter to an input method that has just ended composing", async () => {
    drafts.write("c1", { content: "なぜ" });
    const event = await press(await show(), { key: "Enter", keyCode: 229 });
    expect(asked).not.toHaveBeenCalled();
    expect(event.defaultPrevented).toBe(false);
  });

  it("starts a new line on Enter where keys are on glass, and sends by the button", async () => {
    vi.stubGlobal("matchMedia", (query: string) => ({
      matches: query.includes("coarse"),
      addEventListener: () => undefined,
      removeEventListener: () => undefined,
    }));
    drafts.write("c1", { content: "Why?" });
    const box = await show();
    const event = await press(box, { key: "Enter" });
    expect(asked).not.toHaveBeenCalled();
    expect(event.defaultPrevented).toBe(false);
    expect(place.textContent).toContain("the Ask button sends");
    await press(box, { key: "Enter", ctrlKey: true });
    expect(asked).toHaveBeenCalledOnce();
  });

  it("folds where keys are on glass once it has sent: the answer is looked at next", async () => {
    vi.stubGlobal("matchMedia", (query: string) => ({
      matches: query.includes("coarse"),
      addEventListener: () => undefined,
      removeEventListener: () => undefined,
    }));
    drafts.write("c1", { content: "Why?" });
    const box = await show();
    await act(async () => box.click());
    expect(place.querySelector(".composer-used")).not.toBeNull();
    await act(async () => place.querySelector("form")?.requestSubmit());
    expect(asked).toHaveBeenCalledOnce();
    expect(place.querySelector(".composer-used")).toBeNull();
  });

  it("asks nothing by the press that stops, though its button is one that asks by then", async () => {
    drafts.write("c1", { content: "Why?" });
    await show(true, () => flushSync(() => root.render(composer(false))));
    await act(async () => place.querySelector<HTMLElement>(".stop-button")?.click());
    expect(place.querySelector(".send-button")).not.toBeNull();
    expect(asked).not.toHaveBeenCalled();
  });

  it("keeps the focus at Stop until the run has ended, and then moves it into the box", async () => {
    const onStop = vi.fn();
    const box = await show(true, onStop);
    const stop = place.querySelector<HTMLButtonElement>(".stop-button");
    await act(async () => stop?.focus());
    await act(async () => stop?.click());
    await act(async () => root.render(composer(true, onStop, false, true)));
    expect(stop?.textContent).toBe("Stopping…");
    // A button that is `disabled` has no focus in a browser.
    expect([stop?.disabled, stop?.getAttribute("aria-disabled")]).toEqual([false, "true"]);
    await act(async () => stop?.click());
    expect(onStop).toHaveBeenCalledOnce();
    expect(document.activeElement).toBe(stop);
    await act(async () => root.render(composer(false)));
    expect(document.activeElement).toBe(box);
  });

  it("keeps the focus at Ask while the question is on its way: it may be refused", async () => {
    let refuse = () => {};
    asked.mockImplementation(
      () =>
        new Promise<void>((done) => {
          refuse = done;
        }),
    );
    drafts.write("c1", { content: "Why?" });
    await show();
    const button = place.querySelector<HTMLButtonElement>(".send-button");
    await act(async () => button?.focus());
    await act(async () => button?.click());
    // A button that is `disabled` has no focus in a browser.
    expect([button?.disabled, button?.getAttribute("aria-disabled")]).toEqual([false, "true"]);
    await act(async () => button?.click());
    expect(asked).toHaveBeenCalledOnce();
    await act(async () => refuse());
    expect(button?.getAttribute("aria-disabled")).toBe("false");
    expect(document.activeElement).toBe(button);
  });

  it("sends nothing while a run is under way, and offers to stop it", async () => {
    drafts.write("c1", { content: "Next?" });
    await press(await show(true), { key: "Enter" });
    expect(asked).not.toHaveBeenCalled();
    expect(place.querySelector(".stop-button")?.textContent).toContain("Stop");
  });

  it("unfolds by the click: under a finger nothing may move before it is let go", async () => {
    const box = await show();
    const folded = () => place.querySelector(".composer-used") === null;
    await act(async () => box.dispatchEvent(new Event("pointerdown", { bubbles: true })));
    await act(async () => box.dispatchEvent(new Event("pointerup", { bubbles: true })));
    await act(async () => box.focus());
    expect(document.activeElement).toBe(box);
    expect(folded()).toBe(true);
    await act(async () => box.click());
    expect(folded()).toBe(false);
    await act(async () => box.blur());
    expect(folded()).toBe(true);
    // By keyboard there is no click.
    await act(async () => box.focus());
    expect(folded()).toBe(false);
  });

  it("says of a question that is edited what is typed there", async () => {
    const box = await show();
    expect(box.placeholder).toBe("Ask a follow-up");
    await act(async () => root.render(composer(false, undefined, true)));
    expect(place.querySelector("textarea")?.placeholder).toBe("The question in other words");
  });

  it("sends no empty question", async () => {
    drafts.write("c1", { content: "  \n" });
    await press(await show(), { key: "Enter" });
    expect(asked).not.toHaveBeenCalled();
  });

  it("sends no question that is too long, and says so", async () => {
    drafts.write("c1", { content: "é".repeat(11) });
    await press(await show(false, undefined, 10), { key: "Enter" });
    expect(asked).not.toHaveBeenCalled();
    expect(place.textContent).toContain("11 of 10 characters");
  });

  it("sends the options that were chosen", async () => {
    drafts.write("c1", { content: "Why?", systemPrompt: "Be brief." });
    drafts.choose("c1", { use_cot: true });
    await press(await show(), { key: "Enter" });
    expect(asked).toHaveBeenCalledWith({
      content: "Why?",
      use_cot: true,
      system_prompt: "Be brief.",
    });
  });
});

describe("a draft", () => {
  it("is kept per conversation, across reloads", async () => {
    drafts.write("c1", { content: "half a thou" });
    drafts.write("c2", { content: "another" });
    vi.resetModules();
    const reloaded = await import("./draft");
    const told = await import("../../api/identity");
    // Until it is known whose drafts they are none is shown; what is typed goes on after it.
    expect(reloaded.drafts.read("c1").content).toBe("");
    reloaded.drafts.write("c1", { content: "ght" });
    await told.identity.note("ann");
    expect(reloaded.drafts.read("c1").content).toBe("half a thou\n\nght");
    expect(reloaded.drafts.read("c2").content).toBe("another");
  });

  it("is its tab's own over a reload, whatever is typed in its place in another tab", async () => {
    drafts.write("c1", { content: "typed here" });
    localStorage.setItem("user:ann:draft:c1", JSON.stringify({ content: "typed there" }));
    vi.resetModules();
    const reloaded = await import("./draft");
    const told = await import("../../api/identity");
    await told.identity.note("ann");
    expect(reloaded.drafts.read("c1").content).toBe("typed here");
  });

  it("that was emptied is forgotten", () => {
    drafts.write("c1", { content: "x" });
    drafts.write("c1", { content: "" });
    expect(localStorage.getItem("user:ann:draft:c1")).toBeNull();
  });

  it("that is damaged reads as empty", () => {
    localStorage.setItem("draft:broken", "{");
    expect(drafts.read("broken").content).toBe("");
  });
});
