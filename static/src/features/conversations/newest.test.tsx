import { act, useRef } from "react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { button, click, render } from "../../test/render";
import { NewestButton } from "./newest";

const onPress = vi.fn((_: ScrollBehavior) => undefined);

/** What is watched, and how the browser says whether it is on the screen or above. */
let watched: Element | null;
let tell: (isIntersecting: boolean) => void;

class Watcher {
  constructor(said: (entries: { isIntersecting: boolean }[]) => void) {
    tell = (isIntersecting) => said([{ isIntersecting }]);
  }
  observe(element: Element) {
    watched = element;
  }
  disconnect() {
    watched = null;
  }
}

/** It is so, and stays so for a while. */
async function see(isIntersecting: boolean) {
  await act(async () => tell(isIntersecting));
  await act(async () => vi.advanceTimersByTime(400));
}

function Page({ count }: { count: number }) {
  const list = useRef<HTMLDivElement>(null);
  return (
    <>
      <div ref={list}>
        {Array.from({ length: count }, (_, at) => `turn ${at + 1}`).map((name) => (
          <section key={name} id={name}>
            {name}
          </section>
        ))}
      </div>
      <NewestButton list={list} count={count} onPress={onPress} />
    </>
  );
}

const newest = () => button("Newest question");

beforeEach(() => {
  watched = null;
  onPress.mockClear();
  vi.stubGlobal("IntersectionObserver", Watcher);
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
});
afterEach(() => {
  vi.useRealTimers();
});

it("is there while the newest turn is further down", async () => {
  await render(<Page count={2} />);
  expect(watched?.id).toBe("turn 2");
  expect(newest()).toBeUndefined();
  await see(false);
  expect(newest()?.title).toBe("Newest question");
  await see(true);
  expect(newest()).toBeUndefined();
});

it("does not come for a moment, while the page is on its way there", async () => {
  await render(<Page count={2} />);
  await act(async () => tell(false));
  await act(async () => vi.advanceTimersByTime(300));
  await see(true);
  expect(newest()).toBeUndefined();
});

it("a single turn has none", async () => {
  await render(<Page count={1} />);
  expect(watched).toBeNull();
});

it("goes where only one turn is left, and follows the one that is asked next", async () => {
  await render(<Page count={2} />);
  await see(false);
  await render(<Page count={1} />);
  expect(newest()).toBeUndefined();
  await render(<Page count={3} />);
  expect(watched?.id).toBe("turn 3");
  await see(false);
  expect(newest()).toBeDefined();
});

it("scrolls, and the focus goes on in the newest turn without a jump", async () => {
  await render(<Page count={2} />);
  await see(false);
  const focus = vi.spyOn(HTMLElement.prototype, "focus");
  await click(newest());
  expect(onPress).toHaveBeenCalledExactlyOnceWith("smooth");
  expect(focus).toHaveBeenCalledExactlyOnceWith({ preventScroll: true });
  expect(document.activeElement?.id).toBe("turn 2");
});

it("is there at once from far up", async () => {
  await render(<Page count={2} />);
  await see(false);
  if (!watched) throw new Error("nothing is watched");
  vi.spyOn(watched, "getBoundingClientRect").mockReturnValue({ top: 4 * innerHeight } as DOMRect);
  await click(newest());
  expect(onPress).toHaveBeenCalledExactlyOnceWith("instant");
});

it("hands the focus on where it goes while it has it", async () => {
  await render(<Page count={2} />);
  await see(false);
  newest()?.focus();
  await see(true);
  expect(document.activeElement?.id).toBe("turn 2");
});

it("leaves the focus where it is otherwise", async () => {
  await render(<Page count={2} />);
  await see(false);
  await see(true);
  expect(document.activeElement).toBe(document.body);
});
