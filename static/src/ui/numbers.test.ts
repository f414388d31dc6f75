import { describe, expect, it } from "vitest";
import { numberOf, numberText, readNumber } from "./numbers";

describe("a number that is typed", () => {
  it.each<[string, ReturnType<typeof readNumber>, ReturnType<typeof readNumber>]>([
    // Typed, read in English, read in German.
    ["5", 5, 5],
    [" 25 ", 25, 25],
    ["1000", 1000, 1000],
    ["0", 0, 0],
    ["-1", -1, -1],
    [".5", 0.5, 0.5],
    [",5", 0.5, 0.5],
    ["0.5", 0.5, 0.5],
    ["0,5", 0.5, 0.5],
    ["3.50", 3.5, 3.5],
    ["3,50", 3.5, 3.5],
    ["6.", 6, 6],
    ["6,", 6, 6],
    ["1.2345", 1.2345, 1.2345],
    // Three digits behind a zero are no thousands.
    ["0.005", 0.005, 0.005],
    ["0,005", 0.005, 0.005],
    // The language's own groups.
    ["1,000", 1000, "unclear"],
    ["1.000", "unclear", 1000],
    ["999,999", 999_999, "unclear"],
    ["1,000,000", 1_000_000, "unclear"],
    ["1.000.000", "unclear", 1_000_000],
    ["1,000.50", 1000.5, "unclear"],
    ["1.000,50", "unclear", 1000.5],
    ["1,000.125", 1000.125, "unclear"],
    // Not as anybody groups.
    ["1,00,000", "unclear", "unclear"],
    ["1000,000", "unclear", "unclear"],
    ["1000.000", "unclear", "unclear"],
    ["1,000,00", "unclear", "unclear"],
    ["0,000,5", "unclear", "unclear"],
    ["1.5.2", "unclear", "unclear"],
    ["1 000", "unclear", "unclear"],
    ["1'000", "unclear", "unclear"],
    // No numbers.
    ["", null, null],
    ["much", null, null],
    [".", null, null],
    ["1e3", null, null],
    ["0x10", null, null],
    ["$5", null, null],
    ["Infinity", null, null],
  ])("“%s” is %s in English, %s in German", (text, en, de) => {
    expect([readNumber(text, "en"), readNumber(text, "de")]).toEqual([en, de]);
  });

  it("is sent as it was typed when it is no clear number", () => {
    expect(["1,000", "1.000", "much"].map(numberOf)).toEqual([1000, "1.000", "much"]);
  });
});

describe("a number in a field", () => {
  it("is in the language's signs, without groups", () => {
    expect([0.5, 1500, 0.000_000_1].map((number) => numberText(number, "en"))).toEqual([
      "0.5",
      "1500",
      "0.0000001",
    ]);
    expect([0.5, 1500].map((number) => numberText(number, "de"))).toEqual(["0,5", "1500"]);
  });

  it.each([0, 1, 0.1, 0.005, 1.125, 12.345, 1234.567, 1e6, 123_456.789, 1 / 3])(
    "%s is read as itself",
    (number) => {
      for (const lang of ["en", "de"] as const) {
        expect(readNumber(numberText(number, lang), lang)).toBeCloseTo(number, 12);
      }
    },
  );
});
