import { useState } from "react";
import { expect, it, vi } from "vitest";
import { button, click, render } from "../test/render";
import { Confirm } from "./confirm";

const cancelled = vi.fn();
const deleted = vi.fn();

function Question() {
  const [asks, setAsks] = useState(true);
  const end = (told: () => void) => () => {
    told();
    setAsks(false);
  };
  if (!asks) return null;
  return (
    <Confirm
      title="Delete everything?"
      cancel="Keep"
      onCancel={end(cancelled)}
      actions={[{ label: "Delete", tone: "danger", run: end(deleted) }]}
    >
      Nothing is left.
    </Confirm>
  );
}

it.each([
  ["Keep", cancelled, deleted],
  ["Delete", deleted, cancelled],
])(
  "%s closes the dialog while it is there, which gives the focus back, and tells",
  async (name, told, other) => {
    vi.clearAllMocks();
    const closed: boolean[] = [];
    const close = HTMLDialogElement.prototype.close;
    vi.spyOn(HTMLDialogElement.prototype, "close").mockImplementation(function (
      this: HTMLDialogElement,
    ) {
      closed.push(this.isConnected);
      close.call(this);
    });
    const place = await render(<Question />);
    expect(place.querySelector("dialog")?.open).toBe(true);
    await click(button(name));
    expect(closed).toEqual([true]);
    expect(told).toHaveBeenCalledOnce();
    expect(other).not.toHaveBeenCalled();
    expect(place.querySelector("dialog")).toBeNull();
  },
);
