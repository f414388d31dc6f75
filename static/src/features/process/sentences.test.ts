import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { showLanguage } from "../../i18n";
import de from "../../i18n/de.json";
import { found, sentenceOf } from "./sentences";

afterEach(() => showLanguage("en"));

interface Schema {
  $ref?: string;
  oneOf?: Schema[];
  properties?: { code?: { enum: string[] } };
}

/** The codes in the server's OpenAPI document: no type can check a list of files against them. */
function codes(): string[] {
  const file = join(import.meta.dirname, "../../../../docs/openapi.json");
  const schemas: Record<string, Schema> = JSON.parse(readFileSync(file, "utf8")).components.schemas;
  const of = ({ $ref, oneOf = [], properties }: Schema): string[] => [
    ...(properties?.code?.enum ?? []),
    ...oneOf.flatMap(of),
    ...($ref ? of(schemas[$ref.split("/").at(-1) ?? ""] ?? {}) : []),
  ];
  return of({ $ref: "ProcessFact" });
}

it("each code of the server has its sentence in one feature", () => {
  const own = Object.values(found).flatMap((log) => Object.keys(log));
  expect(own.toSorted()).toEqual(codes().toSorted());
});

it("an entry is said in the reader's language", async () => {
  const answered = { code: "answered", member: "cedar/pro", latency_ms: 2345, late: true } as const;
  expect(sentenceOf(answered)).toBe("pro answered (2.3 s, late)");
  showLanguage("de", de);
  expect(sentenceOf({ code: "members_asked", asked: 1 })).toBe("Phase 1: 1 Mitglied wird gefragt");
  const reason = { error_kind: "timeout" as const, error: "no answer came in time" };
  expect(sentenceOf({ code: "not_reviewed", member: "cedar/pro", reason })).toBe(
    "pro hat kein Gutachten geschrieben: es kam rechtzeitig keine Antwort",
  );
});

it("no two features share a code", () => {
  const round = {
    code: "debate_round_begins",
    round: 2,
    round_type: "critique",
    speakers: 3,
  } as const;
  expect(sentenceOf(round)).toBe("Round 2, Critiques: 3 speakers are asked");
  expect(sentenceOf({ code: "round_begins", iteration: 2 })).toBe("Refinement: round 2");
});

it("an entry of another version keeps its English text", () => {
  expect(sentenceOf(null)).toBeNull();
  expect(sentenceOf({ code: "newer" } as never)).toBeNull();
});
