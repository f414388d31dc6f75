/** Dates and numbers as the reader's region writes them, within the language that is shown. */
import { afterEach, describe, expect, it, vi } from "vitest";
import { regional } from "./index";

describe("a region", () => {
  it.each([
    ["en", ["en-GB", "en-US", "en"], "en-GB"],
    ["en", ["en", "en-AU"], "en-AU"],
    ["en", ["de-CH", "de", "en-IE", "en"], "en-IE"],
    ["de", ["de-CH", "de", "en"], "de-CH"],
    ["de", ["en-GB", "de-AT"], "de-AT"],
    ["en", ["en-Latn-NZ"], "en-NZ"],
    ["en", ["en-150"], "en-150"],
    // What some systems say in the place of a language's name.
    ["en", ["en-US@posix"], "en-US"],
    // Of another language there is nothing to take.
    ["en", ["de-CH"], "en"],
    ["de", ["en-GB"], "de"],
    ["de", ["de"], "de"],
    ["en", ["en-oxendict"], "en"],
    ["en", ["C", "", "en_GB", "english-GB"], "en"],
    ["en", [], "en"],
  ] as const)("of %s, where %j are wanted, is that of %s", (code, wanted, locale) => {
    expect(regional(code, wanted)).toBe(locale);
  });
});

describe("what is shown", () => {
  afterEach(() => {
    document.documentElement.lang = "en";
    vi.resetModules();
  });

  /** The page as a browser with these languages begins it. */
  async function begun(languages: readonly string[]) {
    vi.resetModules();
    vi.stubGlobal("navigator", { ...navigator, languages });
    const i18n = await import("./index");
    await i18n.loadLanguage();
    return { ...i18n, ...(await import("../ui/format")), ...(await import("../ui/numbers")) };
  }
  const evening = new Date("2026-01-31T20:05:00Z");

  it.each([
    [["en-US", "en"], "Jan 31, 2026", "8:05 PM", "1.5"],
    [["en"], "Jan 31, 2026", "8:05 PM", "1.5"],
    [["en-GB", "en"], "31 Jan 2026", "20:05", "1.5"],
    [["en-IE"], "31 Jan 2026", "20:05", "1.5"],
    [["fr-FR", "en-GB"], "31 Jan 2026", "20:05", "1.5"],
    [["de-DE", "de"], "31.01.2026", "20:05", "1,5"],
    [["de-AT"], "31.01.2026", "20:05", "1,5"],
    [["de-CH", "en-US"], "31.01.2026", "20:05", "1.5"],
  ])("to a reader who wants %j, is %s, %s and %s", async (languages, day, clock, number) => {
    const { dateFormat, rank, numberText, readNumber } = await begun(languages);
    const timeZone = "UTC";
    expect(dateFormat({ dateStyle: "medium", timeZone })(evening)).toBe(day);
    // Which space stands before AM and PM is not the same everywhere.
    const time = dateFormat({ timeStyle: "short", timeZone })(evening).replace(/\s/, " ");
    expect(time).toBe(clock);
    expect(rank(1.5)).toBe(number);
    expect(numberText(1.5)).toBe(number);
    expect(readNumber(number)).toBe(1.5);
  });

  it("has the words of the language and the signs of the region", async () => {
    const { dateFormat, listText, t } = await begun(["de-AT", "en-GB"]);
    expect(document.documentElement.lang).toBe("de");
    expect(t("Today")).toBe("Heute");
    expect(dateFormat({ dateStyle: "long", timeZone: "UTC" })(evening)).toBe("31. Jänner 2026");
    expect(listText(["a", "b"], "conjunction")).toBe("a und b");
  });

  it("is in the region of the language that was chosen, not of the one that is wanted most", async () => {
    const { showLanguage, dateFormat } = await begun(["de-DE", "en-GB"]);
    showLanguage("en", undefined, ["de-DE", "en-GB"]);
    expect(dateFormat({ dateStyle: "medium", timeZone: "UTC" })(evening)).toBe("31 Jan 2026");
  });

  it("has numbers in its sentences as the region writes them", async () => {
    const { t } = await begun(["en-IN"]);
    expect(t("{{count, number}} members", { count: 1234567 })).toBe("12,34,567 members");
  });
});
