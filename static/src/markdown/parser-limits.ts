/**
 * What is taken out of a text before it is parsed, because parsers of Markdown take far longer than
 * a frame over it, or run out of stack. Nobody writes such texts for a reader; models in a loop do.
 */

/** Fenced and inline code, which no rewriting may touch. */
const code = /(^|\n)(`{3,}|~{3,})[\s\S]*?(?:\n\2[^\n]*|$)|(?<!`)`+(?!`)[^`\n]+`+/g;

export function outsideCode(text: string, change: (part: string) => string): string {
  let out = "";
  let from = 0;
  for (const match of text.matchAll(code)) {
    out += change(text.slice(from, match.index)) + match[0];
    from = match.index + match[0].length;
  }
  return out + change(text.slice(from));
}

/** Quotations and lists nested deeper than this are shown as written. */
const deepest = 16;
const marker = String.raw`(?:>|[-*+][ \t]|\d{1,9}[.)][ \t])[ \t]*`;
const tooDeep = new RegExp(`^([ \\t]*(?:${marker}){${deepest}})(?=${marker})`, "gm");
/** The same by indentation. */
const tooFarIn = /^[ \t]{32,}(?=(?:[-*+]|\d{1,9}[.)])[ \t])/gm;

export function withoutDepths(text: string): string {
  if (text.search(tooDeep) < 0 && text.search(tooFarIn) < 0) return text;
  return outsideCode(text, (part) =>
    part.replace(tooDeep, "$1\\").replace(tooFarIn, (spaces) => spaces.slice(0, 32)),
  );
}

/** Past this a block that is not code, a list or a table is shown as written. */
const longestBlock = 10_000;
const mostSigns = 1_000;

/** Whether the signs of a block would keep a parser busy: pairing them grows with their square. */
export function isTangled(block: string): boolean {
  if (block.length > longestBlock) return true;
  if (block.length < mostSigns) return false;
  return (block.match(/[*_~[\]`<]/g)?.length ?? 0) > mostSigns;
}

/** Pieces of a text that is shown as written, small enough to lay out one at a time. */
export function pieces(text: string, length = 4_000): string[] {
  const all: string[] = [];
  let from = 0;
  while (text.length - from > length) {
    const limit = from + length;
    const line = text.lastIndexOf("\n", limit);
    const word = text.lastIndexOf(" ", limit);
    let to = limit;
    if (line > from) to = line + 1;
    else if (word > from) to = word + 1;
    // Never between the halves of one character.
    else if (/[\uD800-\uDBFF]/.test(text.charAt(limit - 1))) to = limit - 1;
    all.push(text.slice(from, to));
    from = to;
  }
  all.push(text.slice(from));
  return all;
}
