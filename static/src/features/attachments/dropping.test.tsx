import { act } from "react";
import { beforeAll, beforeEach, expect, it, vi } from "vitest";
import { render } from "../../test/render";
import { AttachButton } from "./attach-button";
import { watchDrops } from "./drops";

const limits = {
  max_bytes: 100,
  max_per_question: 3,
  max_image_bytes: 100,
  max_images_per_question: 1,
  max_characters_read: 100,
  max_per_project: 1,
  max_bytes_per_user: 1000,
  max_bytes_per_project: 1000,
};
const chosen = vi.fn<(files: readonly File[]) => void>();
const notes = new File(["Herons"], "notes.md");
const sign = () => document.querySelector(".drop-sign")?.textContent ?? null;

beforeAll(async () => {
  watchDrops();
  await import("./dropping");
});
beforeEach(() => void chosen.mockReset());

/** Something is dragged over a place, or dropped on it. */
async function drag(name: "dragover" | "drop", over: Element | null, types = ["Files"]) {
  if (!over) throw new Error("there is nothing to drag over");
  const dataTransfer = { types, files: types[0] === "Files" ? [notes] : [], dropEffect: "copy" };
  const event = new Event(name, { bubbles: true, cancelable: true });
  Object.assign(event, { dataTransfer });
  await act(async () => over.dispatchEvent(event));
  return { prevented: event.defaultPrevented, effect: dataTransfer.dropEffect };
}

const page = (takes: boolean) => (
  <main>
    <h1>Herons</h1>
    <div data-takes-files="">Files of the project</div>
    <form className="composer composer-edits">
      <AttachButton limits={limits} onChoose={() => undefined} />
    </form>
    <form className="composer">{takes && <AttachButton limits={limits} onChoose={chosen} />}</form>
  </main>
);

it("a file that is dropped anywhere on the page goes with the question, and the page says so", async () => {
  const place = await render(page(true));
  const heading = place.querySelector("h1");
  expect(await drag("dragover", heading)).toEqual({ prevented: true, effect: "copy" });
  expect(sign()).toBe("Drop files here to ask about them");
  expect((await drag("drop", heading)).prevented).toBe(true);
  expect(chosen).toHaveBeenCalledExactlyOnceWith([notes]);
  expect(sign()).toBeNull();
});

it("one that nothing takes does not take the place of the page", async () => {
  const place = await render(page(false));
  const heading = place.querySelector("h1");
  expect(await drag("dragover", heading)).toEqual({ prevented: true, effect: "none" });
  expect(sign()).toBeNull();
  expect((await drag("drop", heading)).prevented).toBe(true);
  expect(chosen).not.toHaveBeenCalled();
});

it("one that is meant for something else is left to that", async () => {
  const place = await render(page(true));
  const files = place.querySelector("[data-takes-files]");
  expect((await drag("dragover", files)).effect).toBe("copy");
  expect(sign()).toBeNull();
  await drag("drop", files);
  await drag("drop", place.querySelector(".composer-edits"));
  expect(chosen).not.toHaveBeenCalled();
});

it("a text that is dragged is the browser's business", async () => {
  const place = await render(page(true));
  const heading = place.querySelector("h1");
  expect((await drag("dragover", heading, ["text/plain"])).prevented).toBe(false);
  expect(sign()).toBeNull();
});
