/** The words that a search looked for, as they stand in a text. */

export interface Piece {
  text: string;
  found: boolean;
}

/**
 * What the server takes for words: `-without` and `or` are none, quotes hold several. The last one may
 * still be typed: then it ends in `*`, and finds longer ones too.
 */
export function wordsOf(query: string): string[] {
  const wanted = query.replace(/(^|\s)-("[^"]*"?|\S+)/g, " ");
  const words: string[] = wanted.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const isOpen = /(^|\s)[\p{L}\p{N}]+$/u.test(wanted) && !/["]|(^|\s)or\s+\S+$/i.test(wanted);
  const last = isOpen ? words.pop() : undefined;
  if (last !== undefined) words.push(last === "or" ? last : `${last}*`);
  return [...new Set(words)].filter((word) => word !== "or").slice(0, 16);
}

const rest = "[\\p{L}\\p{N}]*";

/** Whole words only, as the server finds them. Words are letters and digits: nothing to escape. */
export function pattern(words: readonly string[]): RegExp | null {
  if (words.length === 0) return null;
  return new RegExp(
    `(?<![\\p{L}\\p{N}])(?:${words.map((word) => word.replace("*", rest)).join("|")})(?![\\p{L}\\p{N}])`,
    "giu",
  );
}

/** The text in pieces that give it back when joined. */
export function pieces(text: string, words: readonly string[]): Piece[] {
  const found = pattern(words);
  const parts: Piece[] = [];
  let from = 0;
  for (const match of found ? text.matchAll(found) : []) {
    if (match.index > from) parts.push({ text: text.slice(from, match.index), found: false });
    parts.push({ text: match[0], found: true });
    from = match.index + match[0].length;
  }
  if (from < text.length) parts.push({ text: text.slice(from), found: false });
  return parts;
}

/** How much of a text may stand before what was found in it: about a line of the sidebar. */
const leadChars = 30;

/** The text from shortly before the first find, so that the find is seen where two lines have room. */
export function fromFind(text: string, words: readonly string[]): string {
  const at = pattern(words)?.exec(text)?.index ?? 0;
  if (at <= leadChars) return text;
  // Whole words, unless one alone is longer than a line.
  const lead = text.slice(at - leadChars, at).replace(/^\S*\s+/, "");
  return `… ${lead}${text.slice(at)}`;
}
