import { act } from "react";
import { createRoot, type Root } from "react-dom/client";
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { CitedText, type Cites, CitesContext } from "./cites";
import { loadMarkdown, Markdown } from "./markdown";

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

const cites: Cites = {
  known: new Set([1, 2, 3, 12]),
  Cite: ({ n }) => <i data-n={n}>{n}</i>,
};

async function show(text: string, known: Cites | null = cites) {
  await act(async () =>
    root.render(
      <CitesContext value={known}>
        <Markdown text={text} />
      </CitesContext>,
    ),
  );
  return [...place.querySelectorAll("[data-n]")].map((one) => Number(one.textContent));
}

describe("the numbers of sources", () => {
  it.each([
    ["A [1].", [1], "A 1."],
    ["A [1][2].", [1, 2], "A 12."],
    ["A [1, 12] and [2,3].", [1, 12, 2, 3], "A 112 and 23."],
    ["**Bold [3]**, _and [2]_", [3, 2], "Bold 3, and 2"],
    ["| a |\n|---|\n| b [2] |", [2], "ab 2"],
    ["- one [1]\n- two [2]", [1, 2], "one 1two 2"],
  ])("lead to them in %j", async (text, numbers, shown) => {
    expect(await show(text)).toEqual(numbers);
    expect(place.textContent?.replaceAll("\n", "")).toBe(shown);
  });

  it.each([
    ["no source", "A [4] and [0, 99]."],
    ["code", "A `x[1]`.\n\n```\nx[2]\n```\n\n    y[3]"],
    ["a picture or brackets in brackets", "A ![1] and [[1]]."],
    ["more digits than any source has", "A [00012]."],
    ["words in brackets", "A [1a], [see 1] and [1-3]."],
  ])("stay as they were written where they are those of %s", async (_, text) => {
    expect(await show(text)).toEqual([]);
  });

  it("keep what is no source beside one that is", async () => {
    expect(await show("A [1, 9].")).toEqual([1]);
    expect(place.textContent).toBe("A 1[9].");
  });

  it("do not lead to where the text itself says", async () => {
    const numbers = await show(
      "A [1], [2][3] and [x].\n\n[1]: https://evil.example\n[3]: /b\n[x]: https://x.example",
    );
    expect(numbers).toEqual([1, 2, 3]);
    expect([...place.querySelectorAll("a")].map((a) => a.href)).toEqual(["https://x.example/"]);
  });

  it("are part of a link where they stand in one", async () => {
    expect(await show("[see [1]](https://example.org)")).toEqual([]);
    expect(await show("[1](https://example.org)")).toEqual([]);
    expect(place.querySelector("a")?.textContent).toBe("1");
  });

  it("cannot be written as an element", async () => {
    expect(await show('<cite data-source="1">1</cite>')).toEqual([]);
  });

  it("are text where nothing was found, and come once something is", async () => {
    expect(await show("A [1].", null)).toEqual([]);
    expect(await show("A [1].")).toEqual([1]);
  });
});

it("a line that is no Markdown leads to its sources as well", async () => {
  await act(async () =>
    root.render(
      <CitesContext value={cites}>
        <CitedText text="*A* [1][9], and [2]." />
      </CitesContext>,
    ),
  );
  expect(place.innerHTML).toBe('*A* <i data-n="1">1</i>[9], and <i data-n="2">2</i>.');
});
