import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { foldSidebar, useSidebar } from "../../ui/sidebar-state";
import { listen, switchKeys } from "./keys";

let silence: () => void;
beforeEach(() => {
  document.body.innerHTML =
    '<main id="main" tabindex="-1"><button>Copy</button><form class="composer"><textarea></textarea></form></main>';
  silence = listen();
});
afterEach(() => {
  silence();
  switchKeys(true);
  foldSidebar(false);
  history.replaceState(null, "", "/");
});

/** Presses a key on what has the focus; true if the browser still types it there. */
function press(key: string): boolean {
  const at = document.activeElement ?? document.body;
  const event = new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true });
  at.dispatchEvent(event);
  return !event.defaultPrevented && document.activeElement?.tagName === "TEXTAREA";
}

const isFolded = () => useSidebar.getState().folded;

describe("a letter that nothing takes", () => {
  it.each(["", "main"])(
    "is typed on the page of a new conversation, with the focus on %j",
    (id) => {
      document.getElementById(id)?.focus();
      expect(press("b")).toBe(true);
      expect(isFolded()).toBe(false);
    },
  );

  it("is a shortcut where a button has the focus", () => {
    document.querySelector("button")?.focus();
    expect(press("b")).toBe(false);
    expect(isFolded()).toBe(true);
  });

  it("is a shortcut in a conversation", () => {
    history.replaceState(null, "", "/c/1");
    expect(press("b")).toBe(false);
    expect(isFolded()).toBe(true);
  });

  it("begins a question in a conversation if it is no shortcut", () => {
    history.replaceState(null, "", "/c/1");
    for (const key of "Bring back") if (key !== " ") expect(press(key)).toBe(true);
    expect(isFolded()).toBe(false);
  });

  it("is typed in a conversation once shortcuts are switched off", () => {
    history.replaceState(null, "", "/c/1");
    switchKeys(false);
    expect(press("b")).toBe(true);
    expect(isFolded()).toBe(false);
  });
});

describe("a box that was left by Escape", () => {
  beforeEach(() => {
    const box = document.querySelector("textarea");
    // As the composer does.
    box?.addEventListener("keydown", ({ key }) => key === "Escape" && box.blur());
    box?.focus();
    press("Escape");
    expect(document.activeElement).toBe(document.body);
  });

  it("is left: letters are shortcuts again on the page of a new conversation, too", () => {
    expect(press("b")).toBe(false);
    expect(isFolded()).toBe(true);
    expect(press("b")).toBe(false);
    expect(isFolded()).toBe(false);
    // What is none begins a question as ever, and with it the box has the focus.
    expect(press("w")).toBe(true);
    document.querySelector("textarea")?.blur();
    expect(press("b")).toBe(true);
    expect(isFolded()).toBe(false);
  });

  it("is where letters go again once something else had the focus", () => {
    document.querySelector("button")?.focus();
    document.querySelector("button")?.blur();
    expect(press("b")).toBe(true);
    expect(isFolded()).toBe(false);
  });
});

it("a box that keeps its focus was not left by Escape", () => {
  const box = document.querySelector("textarea");
  box?.focus();
  press("Escape");
  box?.blur();
  expect(press("b")).toBe(true);
});

it("leaves keys without a letter, and space, to the page", () => {
  for (const key of [" ", "Tab", "Escape", "PageDown", "Dead"]) expect(press(key)).toBe(false);
  expect(document.activeElement).toBe(document.body);
});
