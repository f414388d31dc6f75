import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { showLanguage } from "../../i18n";
import de from "../../i18n/de.json";
import { render } from "../../test/render";
import { actionOf, actionsByName, detailsOf } from "../admin/audit-words";
import { Cost } from "./cost";
import { formatName } from "./format-names";
import { modelIn, modelPath } from "./model-name";

it("a model's address leads back to the model, whatever its name", () => {
  for (const model of ["openai/gpt-5.1", "plain", "a/b:free", "50%/ü ?#", "a//b", "x%2Fy/z"]) {
    const path = new URL(modelPath("own", model), "http://localhost").pathname;
    expect(modelIn(path, "own")).toBe(model);
  }
  expect(modelIn("/dashboard/models/100%", "own")).toBe("100%");
});

it("an unknown cost is said to be unknown, and a partly known one is marked", async () => {
  const cost = async (total_cost: number | null, unknown: number, estimated: number) =>
    (
      await render(
        <Cost of={{ total_cost, unknown_cost_calls: unknown, estimated_cost_calls: estimated }} />,
      )
    ).textContent;
  expect(await cost(null, 2, 0)).toBe("unknown");
  expect(await cost(null, 0, 0)).toBe("–");
  expect(await cost(0, 0, 0)).toBe("$0");
  expect(await cost(1.5, 2, 1)).toMatch(/^\$1\.50 ≈.*estimated \+.*2 calls of unknown price$/);
});

it("actions of the audit log are told in words, new ones by their names", () => {
  expect(actionOf("usage.read")).toBe("looked at the usage");
  expect(actionOf("budget.raise_limit")).toBe("budget raise limit");
  const details: object = { by: "user", from: null, limit_usd: 5 };
  expect(detailsOf(details as Record<string, never>)).toBe(
    "grouped by: user, from: none, limit in US dollars: 5",
  );
});

describe("in German", () => {
  beforeEach(() => showLanguage("de", de));
  afterEach(() => showLanguage("en"));

  it.each([
    [{ days: null }, "Tage: keine"],
    [{ entries: 3 }, "aufbewahrte Antworten: 3"],
    [{ kind: "rubric", shared: true }, "Art: Bewertungsraster, geteilt: ja"],
    [{ role: "owner", member: "user ann" }, "Mitglied: user ann, Rolle: Eigentümer"],
    [{ limit_usd: 2.5, models: [] }, "Grenze in US-Dollar: 2,5, Modelle: keine"],
    [{ format: "rubric_draft" }, "Format: Entwurf eines Bewertungsrasters"],
    [{ newer_detail: "as it is" }, "newer detail: as it is"],
  ])("what else the audit log notes has German words: %o", (details, said) => {
    expect(detailsOf(details as object as Record<string, never>)).toBe(said);
  });

  it.each([
    ["cache.clear", "alle eigenen aufbewahrten Antworten entfernt"],
    ["cache.delete", "eine aufbewahrte Antwort entfernt"],
    ["feedback.withdraw", "die eigene Bewertung einer Antwort zurückgenommen"],
    ["folder.delete", "einen Ordner gelöscht"],
  ])("what was deleted is said in German: %s", (action, said) => {
    expect(actionOf(action)).toBe(said);
  });

  it("actions are all of one form, by which a list of them can be searched", () => {
    const all = actionsByName("").map(([, said]) => said);
    expect(all.length).toBeGreaterThan(50);
    expect(all.filter((said) => /^hat /.test(said))).toEqual([]);
  });

  it("runs have German names, and one that is not known its own", () => {
    expect(["council", "check", "rubric_draft", "toString", "newer"].map(formatName)).toEqual([
      "Rat",
      "Prüfung der Anbieter",
      "Entwurf eines Bewertungsrasters",
      "toString",
      "newer",
    ]);
  });
});
