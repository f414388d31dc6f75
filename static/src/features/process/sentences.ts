/**
 * What the log's codes say. Each feature has the sentences of its own (`log.ts`, found by that name, since they
 * come with the log and not with the page).
 */
import type { Schemas } from "../../api/types";
import { type Sentences, say } from "../../ui/said";

type Fact = Schemas["ProcessFact"];

export const found = import.meta.glob<Partial<Sentences<Fact>>>("../*/log.ts", {
  eager: true,
  import: "log",
});

const sentences = Object.assign({}, ...Object.values(found)) as Sentences<Fact>;

/** The sentence of an entry; null for one of an older server, and for a code of a newer one. */
export const sentenceOf = (fact: Fact | null): string | null => say(sentences, fact);
