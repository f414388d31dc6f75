import { beforeAll, expect, it } from "vitest";
import { showLanguage } from "../../i18n";
import de from "../../i18n/de.json";
import { answer, review, row, seats, storedRun, synthesis } from "../../test/samples";
import { fromStored } from "../reducer";
import { toMarkdown } from "./markdown";

// Before the first number: what writes them keeps the language.
beforeAll(async () => {
  showLanguage("de", de);
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

it("has nothing live in the names of members, which somebody else may have given", () => {
  const [first, ...others] = seats;
  if (!first) throw new Error("no seat");
  const name = "![x](https://evil.example)";
  const seat = { ...first, member: name, alias: name };
  const message = storedRun(
    [answer(seat), ...others.map((other) => answer(other))],
    [review(seat)],
    synthesis(),
  );
  const aggregate = [row({ ...seat, member: "<img src=x>|" })];
  const copied = toMarkdown("Why?", { ...fromStored(message, "c1"), aggregate });
  expect(copied).toContain("### \\![x](https://evil.example)");
  expect(copied).toContain("| \\<img src=x>\\| |");
  expect(copied).not.toMatch(/(?<!\\)(?:!\[|<img)/);
});
