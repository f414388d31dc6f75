/**
 * What the log's codes say. Each feature has the sentences of its own (`log.ts`, found by that name, since they
 * come with the log and not with the page).
 */
import type { Schemas } from "../../api/types";
import { type LogSentences, say } from "../../ui/said";

type Fact = Schemas["ProcessFact"];

export const found = import.meta.glob<Partial<LogSentences<Fact>>>("../*/log.ts", {
  eager: true,
  import: "log",
});

/** The sentence of an entry; null for one of an older server, and for a code of a newer one. */
export function sentenceOf(fact: Fact | null): string | null {
  for (const sentences of Object.values(found)) {
    const said = say(sentences, fact);
    if (said !== null) return said;
  }
  return null;
}
