import i18next from "i18next";
import { afterEach, beforeAll, expect, it } from "vitest";
import de from "../../i18n/de.json";
import { headingText } from "./heading";

beforeAll(() => {
  i18next.addResourceBundle("de", "translation", de);
});
afterEach(() => i18next.changeLanguage("en"));

it.each([
  ["Final answer of the council", "Schlussantwort des Rats"],
  ["Answer of the council, without a ranking", "Antwort des Rats, ohne Rangfolge"],
  [
    "Answer of 3 of 4 members, written by a stand-in for the chairman",
    "Antwort von 3 der 4 Mitglieder, geschrieben von einem Ersatz für den Vorsitz",
  ],
  ["Answer of the council, chosen from 2 drafts", "Antwort des Rats, ausgewählt aus 2 Entwürfen"],
  [
    "The council agreed: the answer of Ada, Countess",
    "Der Rat ist sich einig: die Antwort von Ada, Countess",
  ],
  ["A heading of a newer server", "A heading of a newer server"],
])("says %j in English as it is, and in German", async (english, german) => {
  expect(headingText(english)).toBe(english);
  await i18next.changeLanguage("de");
  expect(headingText(english)).toBe(german);
});

it("calls a member by its short name", () => {
  expect(headingText("The council agreed: the answer of acme/aurora")).toBe(
    "The council agreed: the answer of aurora",
  );
});
