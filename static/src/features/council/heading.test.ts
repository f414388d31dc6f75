import { afterEach, expect, it } from "vitest";
import type { Schemas } from "../../api/types";
import { showLanguage } from "../../i18n";
import de from "../../i18n/de.json";
import { headingOf } from "./heading";

afterEach(() => showLanguage("en"));

const said = (heading_fact: Schemas["HeadingFact"]) =>
  headingOf({ heading: "As the server wrote it", heading_fact })?.said;

it.each<[Schemas["HeadingFact"], string, string]>([
  [{ code: "council" }, "Final answer of the council", "Schlussantwort des Rats"],
  [
    { code: "unranked" },
    "Answer of the council, without a ranking",
    "Antwort des Rats, ohne Rangfolge",
  ],
  [
    { code: "some_members", good: 3, asked: 4, by: { code: "stand_in" } },
    "Answer of 3 of 4 members, written by a stand-in for the chairman",
    "Antwort von 3 der 4 Mitglieder, geschrieben von einem Ersatz für den Vorsitz",
  ],
  [
    { code: "council", by: { code: "chosen", drafts: 2 } },
    "Answer of the council, chosen from 2 drafts",
    "Antwort des Rats, ausgewählt aus 2 Entwürfen",
  ],
  [
    { code: "agreed", member: "acme/aurora" },
    "The council agreed: the answer of aurora",
    "Der Rat ist sich einig: die Antwort von aurora",
  ],
  [
    { code: "member_alone", member: "acme/aurora" },
    "Answer of aurora alone, without the council",
    "Antwort von aurora allein, ohne den Rat",
  ],
])("says %j in English and in German", async (fact, english, german) => {
  expect(said(fact)).toBe(english);
  showLanguage("de", de);
  expect(said(fact)).toBe(german);
});

it("of an older server, or of a newer one, stays as it was written", () => {
  const heading = "Final answer of the council";
  expect(headingOf({ heading })).toEqual({ text: heading, said: null });
  const newer = { code: "newer" } as unknown as Schemas["HeadingFact"];
  expect(headingOf({ heading, heading_fact: newer })).toEqual({ text: heading, said: null });
});
