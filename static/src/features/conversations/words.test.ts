import { expect, it } from "vitest";
import { fromFind, pieces, wordsOf } from "./words";

it("takes the words of a search apart as the server does", () => {
  expect(wordsOf('Tide "spring tide" or -moon -"full moon" ')).toEqual(["tide", "spring"]);
  expect(wordsOf("c++ (x) l’été")).toEqual(["c", "x", "l", "été"]);
  expect(wordsOf(" - ")).toEqual([]);
  expect(wordsOf("spring ti")).toEqual(["spring", "ti*"]);
  expect(wordsOf("spring ti ")).toEqual(["spring", "ti"]);
  expect(wordsOf("spring or ti")).toEqual(["spring", "ti"]);
  expect(wordsOf('"spring ti')).toEqual(["spring", "ti"]);
});

it.each([
  ["The Tide, tides and TIDE.", ["tide"], ["Tide", "TIDE"]],
  ["Ein Öltank ist kein Öl.", ["öl"], ["Öl"]],
  ["The Tide, tides and TIDE.", ["ti*"], ["Tide", "tides", "TIDE"]],
  ["nothing here", ["tide"], []],
  ["nothing here", [], []],
])("marks whole words of %j only, and gives the text back", (text, words, found) => {
  const parts = pieces(text, words);
  expect(parts.map((part) => part.text).join("")).toBe(text);
  expect(parts.filter((part) => part.found).map((part) => part.text)).toEqual(found);
});

it.each([
  ["the tide turns", ["tide"], "the tide turns"],
  [
    "far away from all harbours and every shore the tide turns",
    ["tide"],
    "… harbours and every shore the tide turns",
  ],
  [`${"x".repeat(60)}-tide`, ["tide"], `… ${"x".repeat(29)}-tide`],
  ["no word of it, however long this text may be", ["tide"], null],
])("begins %j shortly before what was found", (text, words, expected) => {
  expect(fromFind(text, words)).toBe(expected ?? text);
});
