import { expect, it } from "vitest";
import type { PartState } from "./state";
import { pickedBy } from "./words";

const part = (...places: number[]) => {
  const ranking = places.map((place) => ({ place }));
  return { result: { picked_by: "ballot", ranking } } as unknown as PartState;
};

it("does not call an answer the best that shares the first place", () => {
  expect(pickedBy(part(1, 2))).toBe("ranked best by the ballots");
  expect(pickedBy(part(1, 1, 3))).toBe("tied for best by the ballots");
});
