/** A piece of a Markdown text as it reads: cut out and put into one line, it is no Markdown any more. */

const marks: readonly [RegExp, string][] = [
  // Fences with their language, and the code of a few words.
  [/(?:`{3,}|~{3,})[\w-]*/g, ""],
  [/`+([^`]*)`+/g, "$1"],
  // Pictures and links: what is said in them.
  [/!?\[([^\]]*)\]\([^)\s]*(?:\s"[^"]*")?\)/g, "$1"],
  // Headings, quotes and items of a list; the two latter only where a line begins, since elsewhere they are dashes and the like.
  [/(^|\s)#{1,6}\s+/g, "$1"],
  [/^\s*(?:>\s*|[-*+]\s+|\d+[.)]\s+)+/gm, ""],
  // The line under the head of a table.
  [/\|?(?:\s*:?-{2,}:?\s*\|)+(?:\s*:?-{2,}:?)?/g, " "],
  [/\*\*|~~/g, ""],
  [/(?<![\w_])__(?=\S)([^_]+)(?<=\S)__(?=[\s,;:!?)]|\.?(?:\s|$))/g, "$1"],
  [/(?<![\w*])\*(?=\S)([^*]+)(?<=\S)\*(?![\w*])/g, "$1"],
  [/(?<![\w_])_(?=\S)([^_]+)(?<=\S)_(?![\w_])/g, "$1"],
  [/<br\s*\/?>/g, " "],
];

export const plain = (text: string): string =>
  marks
    .reduce((rest, [mark, put]) => rest.replace(mark, put), text)
    .replace(/\s+/g, " ")
    .trim();
