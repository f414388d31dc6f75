import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act, type ReactNode } from "react";
import { createRoot, type Root } from "react-dom/client";
import { afterEach, beforeAll, beforeEach, vi } from "vitest";
import { loadMarkdown } from "../markdown/markdown";

let place: HTMLElement;
let root: Root;

beforeAll(loadMarkdown);
beforeEach(() => {
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
  place = document.body.appendChild(document.createElement("div"));
  root = createRoot(place);
});
afterEach(async () => {
  await act(async () => root.unmount());
  place.remove();
});

/** Draws a view, lazy parts included once they are awaited with `settled`. */
export async function render(view: ReactNode, client = new QueryClient()): Promise<HTMLElement> {
  await act(async () =>
    root.render(<QueryClientProvider client={client}>{view}</QueryClientProvider>),
  );
  return place;
}

export async function click(element: Element | null | undefined) {
  if (!element) throw new Error("there is nothing to click");
  await act(async () => element.dispatchEvent(new MouseEvent("click", { bubbles: true })));
}

/** Puts this text into a box, in the place of what is there. */
export async function type(
  box: HTMLInputElement | HTMLTextAreaElement | null | undefined,
  text: string,
) {
  if (!box) throw new Error("there is nothing to type into");
  // Past what React has put in the place of the browser's own setter.
  const value = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(box), "value");
  await act(async () => {
    value?.set?.call(box, text);
    box.dispatchEvent(new Event("input", { bubbles: true }));
  });
}

/** The button with this beginning of its text or label. */
export const button = (name: string) =>
  [...place.querySelectorAll("button")].find((one) =>
    (one.getAttribute("aria-label") ?? one.textContent ?? "").trim().startsWith(name),
  );

/** Waits until what is fetched on demand is there. */
export async function settled(text: string) {
  for (let tries = 0; tries < 200; tries += 1) {
    if (place.textContent?.includes(text)) return;
    await act(() => new Promise((done) => setTimeout(done, 10)));
  }
  throw new Error(`“${text}” is not on the page`);
}
