/**
 * Texts of the server: facts, each a code with parameters next to the English text for other
 * clients.
 */

interface Coded {
  code: string;
}

/** A sentence for each code of a fact. A new code does not compile until it has one. */
export type Sentences<Fact extends Coded, Text = string> = {
  readonly [Code in Fact["code"]]: (fact: Extract<Fact, { code: Code }>) => Text;
};

/** The same for the process log: null where another feature has the same code, with other parameters. */
export type LogSentences<Fact extends Coded> = Sentences<Fact, string | null>;

/** The sentence of a fact; null without one, and for one of a newer server. */
export function say<Fact extends Coded>(
  sentences: Partial<Sentences<Fact, string | null>>,
  fact: Fact | null | undefined,
): string | null {
  if (!fact || !Object.hasOwn(sentences, fact.code)) return null;
  const sentence = sentences[fact.code as Fact["code"]] as (fact: Fact) => string | null;
  return sentence(fact);
}

/** A sentence with what more there is to say in brackets behind it. */
export function withDetails(sentence: string, details: readonly (string | null)[]): string {
  const said = details.filter((detail) => detail !== null);
  return said.length > 0 ? `${sentence} (${said.join(", ")})` : sentence;
}

/** A text of the server, and its sentence in the reader's language, where there is one. */
export interface SaidText {
  said: string | null;
  text: string;
}

/** The sentence; what an older server stored without a code is in English. */
export const Said = ({ said, text }: SaidText) => said ?? <span lang="en">{text}</span>;

/** A list of texts with their facts: as many, or none where an older server stored them. */
export const saidList = <Fact extends Coded>(
  sentences: Sentences<Fact>,
  texts: readonly string[] | null | undefined,
  facts: readonly Fact[] | null | undefined,
): SaidText[] =>
  (texts ?? []).map((text, at) => ({
    text,
    said: facts?.length === texts?.length ? say(sentences, facts?.[at]) : null,
  }));
