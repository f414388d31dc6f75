import { expect, it } from "vitest";
import { after, saidIn, withSaid } from "./insert";

const heard = (...texts: [string, boolean][]) => ({
  results: texts.map(([transcript, isFinal]) => ({ isFinal, 0: { transcript } })),
});

it("puts what was said between what stands there, with spaces where they belong", () => {
  const said = saidIn(heard(["why is ", true], [" the sky", false]), 0);
  expect(said).toBe("why is the sky");
  expect(withSaid({ before: "", after: "", from: 0 }, said)).toBe("why is the sky");
  expect(withSaid({ before: "Tell me", after: "blue?", from: 0 }, said)).toBe(
    "Tell me why is the sky blue?",
  );
  expect(withSaid({ before: "Tell me\n", after: "?", from: 0 }, said)).toBe(
    "Tell me\nwhy is the sky?",
  );
});

it("leaves what was typed meanwhile, and goes on after it with what is said from then on", () => {
  const first = heard(["why is", true], ["the", false]);
  const place = after("Why is it?", first);
  expect(place).toEqual({ before: "Why is it?", after: "", from: 1 });
  const later = heard(["why is", true], ["the sky", true], ["blue", false]);
  expect(withSaid(place, saidIn(later, place.from))).toBe("Why is it? the sky blue");
  expect(after("Typed", heard(["all", true])).from).toBe(1);
});
