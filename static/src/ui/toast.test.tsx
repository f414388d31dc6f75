import { act } from "react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { button, click, render } from "../test/render";
import { leaveErrors, Toasts, toast } from "./toast";

const page = (
  <>
    <main id="main" tabIndex={-1}>
      <p>page</p>
    </main>
    <Toasts />
  </>
);

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(async () => {
  await act(async () => vi.advanceTimersByTime(60_000));
  vi.useRealTimers();
});

it.each(["Undo", "Dismiss"])(
  "“%s” leaves the focus in the page, and the toast goes",
  async (name) => {
    const place = await render(page);
    const run = vi.fn();
    await act(async () => toast("It is gone.", { action: { label: "Undo", run } }));
    button(name)?.focus();
    await click(button(name));
    expect(run).toHaveBeenCalledTimes(name === "Undo" ? 1 : 0);
    expect(place.textContent).toBe("page");
    expect(document.activeElement?.id).toBe("main");
  },
);

it("in a dialog it stays in that", async () => {
  await render(
    <dialog open>
      <button type="button">close</button>
      <Toasts />
    </dialog>,
  );
  await act(async () => toast("It is gone."));
  button("Dismiss")?.focus();
  await click(button("Dismiss"));
  expect(document.activeElement).toBe(button("close"));
});

it("goes by itself, and not while somebody is at its button", async () => {
  const place = await render(page);
  await act(async () => toast("It is gone.", { action: { label: "Undo", run: vi.fn() } }));
  button("Undo")?.focus();
  await act(async () => vi.advanceTimersByTime(13_000));
  expect(document.activeElement).toBe(button("Undo"));
  document.getElementById("main")?.focus();
  await act(async () => vi.advanceTimersByTime(2_000));
  expect(place.textContent).toBe("page");
});

it("an error goes with the page that it was about, and what else was said stays", async () => {
  const place = await render(page);
  await act(async () => toast("Not saved.", { tone: "bad" }));
  await act(async () => toast("It is gone.", { action: { label: "Undo", run: vi.fn() } }));
  // It may have led to the other page.
  await act(async () => leaveErrors());
  expect(place.textContent).toContain("Not saved.");
  await act(async () => vi.advanceTimersByTime(2_000));
  await act(async () => leaveErrors());
  expect(place.textContent).toContain("It is gone.");
  expect(place.textContent).not.toContain("Not saved.");
});
