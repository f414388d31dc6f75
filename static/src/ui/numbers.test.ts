import { afterEach, describe, expect, it } from "vitest";
import { showLanguage } from "../i18n";
import de from "../i18n/de.json";
import { numberOf, numberText, readNumber, readWithin } from "./numbers";

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
    // A thousand to one reader, one to another, whatever the page's language is.
    ["1,000", "unclear", "unclear"],
    ["1.000", "unclear", "unclear"],
    ["999,999", "unclear", "unclear"],
    // The language's own groups, where they can be nothing else.
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

  it.each<[string, string, ReturnType<typeof readNumber>]>([
    // The region's sign before decimals, and the other one where it can be nothing else.
    ["de-CH", "1.5", 1.5],
    ["de-CH", "1,5", 1.5],
    ["de-CH", "1,000.50", 1000.5],
    ["de-AT", "1,5", 1.5],
    ["de-AT", "1.000,50", 1000.5],
    ["en-GB", "1,000.50", 1000.5],
    ["en-DE", "1.000,50", 1000.5],
    // Two people could still read two numbers, and other marks for thousands are asked for again.
    ["de-CH", "1.000", "unclear"],
    ["de-CH", "1’000", "unclear"],
    ["de-CH", "1'000.50", "unclear"],
    ["de-AT", "1 000", "unclear"],
    ["en-GB", "1.000", "unclear"],
  ])("in %s “%s” is %s", (region, text, number) => {
    expect(readNumber(text, region)).toBe(number);
  });

  it("is sent as it was typed when it is no clear number", () => {
    expect(["1000", "1.000", "much"].map(numberOf)).toEqual([1000, "1.000", "much"]);
  });
});

describe("what a field takes", () => {
  const days = { least: 0, most: 36_500, whole: true };
  const dollars = { least: 0, most: 100, money: true };
  afterEach(() => showLanguage("en"));

  it.each([
    ["30", days, 30],
    ["0", days, 0],
    ["abc", days, "A whole number is needed."],
    ["30 days", days, "A whole number is needed."],
    ["1.5", days, "A whole number is needed."],
    ["", days, "A whole number is needed."],
    ["-1", days, "From 0 to 36,500."],
    ["36501", days, "From 0 to 36,500."],
    ["5", dollars, 5],
    ["$5", dollars, 5],
    ["5 $", dollars, 5],
    ["US$5", dollars, 5],
    ["5 USD", dollars, 5],
    ["usd 2.50", dollars, 2.5],
    ["12abc", dollars, "A number is needed."],
    ["viel", dollars, "A number is needed."],
    ["$", dollars, "A number is needed."],
    ["5 EUR", dollars, "A number is needed."],
    ["$101", dollars, "From 0 to 100."],
    // A sum alone has a currency.
    ["$5", days, "A whole number is needed."],
  ])("“%s” within %o is %s", (text, bounds, read) => {
    expect(readWithin(text, bounds)).toBe(read);
  });

  it.each(["1.000", "1,000", "1 000", "$1,000"])("“%s” is asked for again", (text) => {
    const read = readWithin(text, { least: 0, most: 10_000, money: true });
    expect(read).toContain("Write it without a mark for thousands");
  });

  it("is read as the page's language writes it", () => {
    expect(readWithin("1.5", dollars)).toBe(1.5);
    showLanguage("de", de);
    expect(readWithin("1,5", dollars)).toBe(1.5);
    expect(readWithin("1,5", days)).toBe("Hier fehlt eine ganze Zahl.");
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
      for (const region of ["en", "de", "en-GB", "en-IN", "en-DE", "de-AT", "de-CH"]) {
        expect(readNumber(numberText(number, region), region)).toBeCloseTo(number, 12);
      }
    },
  );
});
