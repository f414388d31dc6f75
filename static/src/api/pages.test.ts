import { expect, it } from "vitest";
import { eachOnce } from "./pages";

it("has a row once that is in two pages, as it was read last", () => {
  const pages: { rows: { id: string; title?: string }[] }[] = [
    { rows: [{ id: "a" }, { id: "b", title: "Before" }] },
    { rows: [{ id: "b", title: "After" }, { id: "c" }] },
  ];
  expect(eachOnce(pages, ({ rows }) => rows)).toEqual([
    { id: "a" },
    { id: "b", title: "After" },
    { id: "c" },
  ]);
  expect(eachOnce(undefined, () => [])).toEqual([]);
});
