import i18next from "i18next";
import { beforeAll, expect, it } from "vitest";
import de from "../i18n/de.json";
import { answer, review, row, seats, storedRun, synthesis } from "../test/samples";
import { adversaryFrom } from "./adversary";
import { toMarkdown } from "./markdown";
import { fromStored } from "./stored";

// Before the first number: what writes them keeps the language.
beforeAll(async () => {
  i18next.addResourceBundle("de", "translation", de);
  await i18next.changeLanguage("de");
});

it("is copied in the reader's language, headings and numbers included", () => {
  const message = storedRun(
    seats.map((seat) => answer(seat)),
    seats.map((seat) => review(seat)),
    synthesis(),
  );
  const aggregate = seats.map((seat) => row(seat, { average_rank: 1.6666666, borda: 0.3333333 }));
  const copied = toMarkdown("Why?", { ...fromStored(message, "c1"), aggregate });
  expect(copied).toContain("## Schlussantwort des Rats\n\nTogether: so it is.");
  expect(copied).toContain("| 2 | Basil | 1,67 | 0,33 |");
  expect(copied).toContain("### Gutachten von Basil");
  expect(copied).not.toMatch(/^#.*\b(of|the|by)\b/m);
});

it.each([
  [
    "eve/one could not attack the answer: timed out: 30 s",
    "eve/one konnte die Antwort nicht angreifen: timed out: 30 s",
  ],
  [
    "cedar/pro could not revise the answer, which stands as it was: gone",
    "cedar/pro konnte die Antwort nicht überarbeiten; sie bleibt, wie sie war: gone",
  ],
  ["What a newer server says", "What a newer server says"],
])("tells what failed of an attack in the reader's language: %j", (stored, told) => {
  const attack = { adversary_model: "eve/one", critique: "", has_issues: false, revised: false };
  expect(adversaryFrom({ ...attack, error: stored }).error).toBe(told);
});
