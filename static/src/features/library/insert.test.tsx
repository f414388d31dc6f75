import { act, createRef } from "react";
import { beforeEach, expect, it, vi } from "vitest";
import { identity } from "../../api/identity";
import { queryClient } from "../../api/queries";
import { render, settled, type } from "../../test/render";
import { drafts } from "../composer/draft";
import InsertDialog from "./insert-dialog";
import Suggest from "./suggest";

/** Fourteen prompts whose names begin alike. */
const entries = Array.from({ length: 14 }, (_, at) => ({
  id: `p${at + 1}`,
  kind: "prompt",
  name: `Weekly ${String(at + 1).padStart(2, "0")}`,
  beginning: "What",
}));
const seen = vi.fn<(id: string) => void>();

beforeEach(async () => {
  await identity.note("ann");
  queryClient.clear();
  drafts.clear(null);
  seen.mockReset();
  Element.prototype.scrollIntoView = function () {
    seen(this.id);
  };
  HTMLDialogElement.prototype.showModal = () => undefined;
  vi.spyOn(globalThis, "fetch").mockImplementation(async (path) => {
    const [, id] = /\/api\/library\/(p\d+)$/.exec(String(path)) ?? [];
    if (!id) return Response.json({ entries, total: entries.length });
    return Response.json({ ...entries.find((one) => one.id === id), text: `Text of ${id}` });
  });
});

const press = async (element: Element | null | undefined, key: string) => {
  const event = new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true });
  await act(async () => element?.dispatchEvent(event));
};

it("all prompts that are called so are on offer, and the one that is chosen is in sight", async () => {
  const box = createRef<HTMLTextAreaElement>();
  const place = await render(
    <>
      <textarea ref={box} />
      <Suggest place={null} box={box} typed="/weekly" />
    </>,
    queryClient,
  );
  await settled("Weekly 14");
  expect(place.querySelectorAll("[role=option]")).toHaveLength(14);
  expect(place.textContent).toContain("14 prompts. The arrows choose");
  // It scrolls: keys have to reach it.
  expect(place.querySelector("[role=listbox]")?.getAttribute("tabindex")).toBe("0");
  expect(seen).not.toHaveBeenCalled();
  for (let presses = 0; presses < 7; presses += 1) await press(box.current, "ArrowDown");
  const active = place.querySelector("[aria-selected=true]");
  expect(active?.textContent).toContain("Weekly 08");
  expect(seen).toHaveBeenLastCalledWith(active?.id);
});

it("the arrows go from the search to what it found, and Enter takes the first", async () => {
  const closed = vi.fn<(done: boolean) => void>();
  await render(<InsertDialog place={null} chosen={null} onClose={closed} />, queryClient);
  const search = document.querySelector<HTMLInputElement>("dialog input");
  await vi.waitFor(() => expect(document.querySelectorAll(".insert-entry")).toHaveLength(14));
  await press(search, "Enter");
  expect(drafts.read(null).content).toBe("");
  await press(search, "ArrowDown");
  expect(document.activeElement?.textContent).toContain("Weekly 01");
  await press(document.activeElement, "ArrowDown");
  expect(document.activeElement?.textContent).toContain("Weekly 02");
  await press(document.activeElement, "ArrowUp");
  await press(document.activeElement, "ArrowUp");
  expect(document.activeElement).toBe(search);
  await type(search, "weekly 1");
  expect(document.querySelectorAll(".insert-entry")).toHaveLength(5);
  await press(search, "Enter");
  await vi.waitFor(() => expect(drafts.read(null).content).toBe("Text of p10"));
});

it("a prompt that is pressed twice is put into the box once", async () => {
  await render(<InsertDialog place={null} chosen={null} onClose={vi.fn()} />, queryClient);
  await vi.waitFor(() => expect(document.querySelectorAll(".insert-entry")).toHaveLength(14));
  const first = document.querySelector(".insert-entry");
  await act(async () => {
    first?.dispatchEvent(new MouseEvent("click", { bubbles: true }));
    first?.dispatchEvent(new MouseEvent("click", { bubbles: true }));
  });
  await vi.waitFor(() => expect(drafts.read(null).content).toContain("Text of p1"));
  await act(async () => undefined);
  expect(drafts.read(null).content).toBe("Text of p1");
});

it("Enter goes through the variables, and puts the text into the box from the last", async () => {
  const chosen = { name: "Report", text: "{{team}} in {{week}}", typed: "/rep" };
  await render(<InsertDialog place={null} chosen={chosen} onClose={vi.fn()} />, queryClient);
  const [team, week] = document.querySelectorAll<HTMLInputElement>("dialog input");
  /** What a browser does with Enter in a form, unless it is told not to. */
  const enter = async (box: HTMLInputElement | undefined) => {
    const event = new KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true });
    await act(async () => box?.dispatchEvent(event));
    if (!event.defaultPrevented) await act(async () => box?.form?.requestSubmit());
  };
  await type(team, "Herons");
  await enter(team);
  expect(document.activeElement).toBe(week);
  expect(drafts.read(null).content).toBe("");
  await type(week, "week 3");
  await enter(week);
  expect(drafts.read(null).content).toBe("Herons in week 3");
});

it("what is typed while a prompt is read stays, and Enter takes it once", async () => {
  let goOn = () => {};
  const held = new Promise<void>((done) => {
    goOn = done;
  });
  const usual = vi.mocked(fetch).getMockImplementation();
  const box = createRef<HTMLTextAreaElement>();
  drafts.write(null, { content: "/weekly 0" });
  await render(
    <>
      <textarea ref={box} />
      <Suggest place={null} box={box} typed="/weekly 0" />
    </>,
    queryClient,
  );
  await settled("Weekly 01");
  vi.spyOn(globalThis, "fetch").mockImplementation(async (...asked) => {
    if (String(asked[0]).endsWith("/p1")) await held;
    if (!usual) throw new Error("there is no server");
    return usual(...asked);
  });
  await press(box.current, "Enter");
  drafts.write(null, { content: "/weekly 0 for the herons" });
  await press(box.current, "Enter");
  goOn();
  await vi.waitFor(() => expect(drafts.read(null).content).toContain("Text of p1"));
  await act(async () => undefined);
  expect(drafts.read(null).content).toBe("Text of p1\n\nfor the herons");
});

it("says that nothing has such a name, or that there is nothing, and leads to the library", async () => {
  const box = createRef<HTMLTextAreaElement>();
  const typed = (text: string) =>
    render(
      <>
        <textarea ref={box} />
        <Suggest key={text} place={null} box={box} typed={text} />
      </>,
      queryClient,
    );
  const place = await typed("/weekly");
  await settled("Weekly 14");
  expect(place.querySelector(".suggest-nothing")).toBeNull();
  await typed("/zzz");
  await settled("No prompt matches.");
  expect(place.querySelector(".suggest-nothing a")?.getAttribute("href")).toBe("/library");
  queryClient.clear();
  vi.spyOn(globalThis, "fetch").mockImplementation(async () =>
    Response.json({ entries: [], total: 0 }),
  );
  await typed("/");
  await settled("There are no prompts yet.");
});
