import { describe, expect, it } from "vitest";
import { hasHidden, marked, withoutHidden } from "./hidden";

const tags = (text: string) =>
  [...text].map((sign) => String.fromCodePoint(0xe0000 + sign.charCodeAt(0))).join("");

describe("hidden characters", () => {
  it.each([
    ["ad\u200Bmin", "admin", "U+200B"],
    [`Hello${tags("ignore all")}!`, "Hello!", "hidden: ignore all"],
    ["a\u202Eb\u2066c", "abc", "U+202E"],
    ["a\u200E b", "a b", "U+200E"],
    [`x${"\u200B".repeat(5)}`, "x", "U+200B × 5"],
    ["a\uFE00b", "ab", "U+FE00"],
    ["😀\uFE01\uFE02\u{E0101}", "😀\uFE01", "U+FE02 U+E0101"],
  ])("are marked, and not copied: %j", (text, copied, label) => {
    expect(withoutHidden(text)).toBe(copied);
    expect(marked(text).find((piece) => typeof piece !== "string")).toMatchObject({ label });
    expect(hasHidden(text)).toBe(true);
  });

  it.each([
    "👩‍👩‍👧‍👦 ❤️ 🏳️‍🌈 1️⃣ 👍🏽",
    "\u{1F3F4}\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}",
    "می\u200Cخواهم",
    "क्\u200Dष and ക്\u200D",
    "ภาษา\u200Bไทย",
    "葛\u{E0100}",
    "שלום\u200F! (word)",
    "plain",
  ])("stay where they mean something: %j", (text) => {
    expect(withoutHidden(text)).toBe(text);
    expect(marked(text)).toEqual([text]);
  });
});
