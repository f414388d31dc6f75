import { act } from "react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { queryClient } from "../../api/queries";
import LibraryPage from "../../pages/library";
import { newRun } from "../../run/state";
import { button, click, render, settled, type } from "../../test/render";
import { answer, config, review, seats, storedRun, synthesis, wholeRun } from "../../test/samples";
import { toMarkdown } from "../export/markdown";
import {
  chosen,
  lasting,
  readChoices,
  sceneOf,
  toAsk,
  toDefaultOptions,
  writtenIn,
} from "../options/choices";
import { fromStored, reduceAll } from "../reducer";
import Choose from "./choose";
import { RubricNote } from "./note";
import { type Rubric, rubricOf } from "./state";

const answers = seats.map((seat) => answer(seat));
const reviews = seats.map((seat) => review(seat));
const rubric: Rubric = {
  text: "- Right\n- ![x](https://evil.example/x)",
  name: "House",
  version: 3,
};

const events = wholeRun(answers, reviews, synthesis()).map((event) =>
  event.type === "run_started" ? { ...event, rubric } : event,
);
const message = storedRun(answers, reviews, synthesis());
const stored = { ...message, metadata: { ...message.metadata, rubric } };

describe("a run with a rubric", () => {
  it("looks the same once it is stored", () => {
    expect(fromStored(stored, "c1")).toEqual(reduceAll(newRun, events));
    expect(rubricOf(fromStored(stored, "c1"))).toEqual(rubric);
    expect(rubricOf(fromStored(message, "c1"))).toBeNull();
  });

  it("says by what its ballots go, and shows no picture", async () => {
    const page = await render(<RubricNote run={fromStored(stored, "c1")} />);
    expect(page.textContent).toContain("Rubric: House, version 3");
    expect(page.querySelector("img")).toBeNull();
    const none = await render(<RubricNote run={fromStored(message, "c1")} />);
    expect(none.textContent).toBe("");
  });

  it("is copied with it, and with nothing live in it", () => {
    const copied = toMarkdown("Why?", fromStored(stored, "c1"));
    expect(copied).toContain("## Rubric: House, version 3\n\n- Right");
    expect(copied).toContain("\n- \\![x](https://evil");
    expect(toMarkdown("Why?", fromStored(message, "c1"))).not.toContain("Rubric");
  });
});

describe("what is written for a question", () => {
  const own = { rubric: { text: "- Mine" } };
  const byDefault = { ...config, default_options: { rubric: { id: "r-1", name: "House" } } };

  it("is sent where it differs from what would be there by itself", () => {
    expect(toAsk(sceneOf({}, config))).toEqual({});
    expect(toAsk(sceneOf(own, config))).toEqual(own);
    expect(toAsk(sceneOf({}, byDefault))).toEqual({});
    expect(toAsk(sceneOf({ rubric: { id: "r-1", name: "House" } }, byDefault))).toEqual({});
    expect(toAsk(sceneOf(own, byDefault))).toEqual(own);
    expect(toAsk(sceneOf({ rubric: null }, byDefault))).toEqual({ rubric: { text: "" } });
    expect(toAsk(sceneOf({ rubric: null }, config))).toEqual({});
  });

  it("goes with its question, and one of the library stays", () => {
    const other = { rubric: { id: "r-1", name: "House" } };
    expect(lasting({ ...own, use_cot: true })).toEqual({ use_cot: true });
    expect(lasting(other)).toEqual(other);
    expect(lasting({ rubric: null })).toEqual({ rubric: null });
    expect(writtenIn({ content: "Why?", ...own })).toEqual(own);
    expect(writtenIn({ content: "Why?", ...other })).toEqual({});
    expect(writtenIn({ content: "Why?", rubric: { text: "" } })).toEqual({});
  });

  it("has a chip that takes it back", () => {
    const chips = chosen(sceneOf({}, byDefault));
    expect(chips).toEqual([{ key: "rubric", text: "Rubric: House", off: { rubric: null } }]);
    expect(chosen(sceneOf(own, config))[0]?.text).toBe("A rubric of its own");
  });

  it("is read of what is kept, whatever that is", () => {
    for (const wrong of ["text", 1, [], {}, { text: " " }, { text: 1 }, { id: 2 }]) {
      expect(readChoices({ rubric: wrong })).toEqual({});
    }
    expect(readChoices({ rubric: { id: "r", version: "3", more: 1 } })).toEqual({
      rubric: { id: "r" },
    });
    expect(readChoices({ rubric: null })).toEqual({ rubric: null });
    expect(toDefaultOptions(sceneOf(own, config).choices)).toMatchObject(own);
  });
});

describe("a rubric that was written for a question", () => {
  beforeEach(() => {
    queryClient.clear();
    vi.spyOn(globalThis, "fetch").mockImplementation(async () =>
      Response.json({ entries: [], total: 0 }),
    );
  });
  afterEach(() => act(async () => history.replaceState(null, "", "/")));

  const criteria = (place: HTMLElement) => place.querySelector("textarea");
  const saving = (place: HTMLElement) =>
    place.querySelector<HTMLAnchorElement>('a[href="/library/new/rubric"]');
  const onChange = vi.fn();
  const choose = (text: string) =>
    render(
      <Choose
        choices={sceneOf({ rubric: { text } }, config).choices}
        question="Why?"
        onChange={onChange}
      />,
      queryClient,
    );

  it("goes into the library with its text, to be given a name there", async () => {
    const place = await choose("- Brief");
    await type(criteria(place), "- Brief\n- Right");
    expect(saving(place)?.textContent).toBe("Save to the library");
    await click(saving(place));
    expect(location.pathname).toBe("/library/new/rubric");
    const library = await render(<LibraryPage />, queryClient);
    await settled("Criteria");
    expect(criteria(library)?.value).toBe("- Brief\n- Right");
    expect(library.querySelector("input")?.value).toBe("");
    // The next new one begins with nothing.
    await render(<p>elsewhere</p>, queryClient);
    await render(<LibraryPage />, queryClient);
    expect(criteria(library)?.value).toBe("");
  });

  it("gives way to the entry that it was saved as", async () => {
    const place = await choose("- Brief");
    await click(saving(place));
    const library = await render(<LibraryPage />, queryClient);
    await settled("Criteria");
    onChange.mockReset();
    const made = { id: "r-9", kind: "rubric", name: "House", text: "- Brief", version: 1 };
    vi.spyOn(globalThis, "fetch").mockImplementation(async (_, init) =>
      init?.method === "POST"
        ? Response.json({ ...made, is_mine: true, shared: false, versions: [] })
        : Response.json({ entries: [], total: 0 }),
    );
    await type(library.querySelector("input"), "House");
    await click(button("Save"));
    await vi.waitFor(() =>
      expect(onChange).toHaveBeenCalledExactlyOnceWith({ rubric: { id: "r-9", name: "House" } }),
    );
  });

  it("is not offered while it says nothing", async () => {
    const place = await choose(" ");
    expect(criteria(place)).not.toBeNull();
    expect(saving(place)).toBeNull();
  });
});
