import { act, useRef } from "react";
import { expect, it, vi } from "vitest";
import { render } from "../test/render";
import { Dialog } from "./dialog";

function Named() {
  const dialog = useRef<HTMLDialogElement>(null);
  return (
    <Dialog dialog={dialog} aria-label="A new name">
      <input />
    </Dialog>
  );
}

it("a press beside it closes it, and none that marks a text in it and ends there", async () => {
  const close = vi.spyOn(HTMLDialogElement.prototype, "close").mockImplementation(() => undefined);
  const page = await render(<Named />);
  const dialog = page.querySelector("dialog");
  const pressFrom = (place: Element | null) =>
    act(async () => {
      place?.dispatchEvent(new MouseEvent("pointerdown", { bubbles: true }));
      // Wherever it began, a browser names what holds both ends of it.
      dialog?.dispatchEvent(new MouseEvent("click", { bubbles: true }));
    });
  await pressFrom(page.querySelector("input"));
  expect(close).not.toHaveBeenCalled();
  await pressFrom(dialog);
  expect(close).toHaveBeenCalledOnce();
});
