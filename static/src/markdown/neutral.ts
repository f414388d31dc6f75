/**
 * A model's Markdown made as harmless for another program as it is on this page: no image that is fetched,
 * no HTML but the little that this page reads too, no link to anything but the web and mail. The server's
 * `server/neutral.rs` does the same to what it exports.
 */

const fence = /^([ \t>*+\-0-9.)]*?)(`{3,}|~{3,})([^\n]*)$/;

/** Which lines are certainly code for every reader of Markdown. `tail` closes what was left open. */
function codeLines(lines: readonly string[]): { isCode: boolean[]; tail: string } {
  const isCode = lines.map(() => false);
  let open: { indent: number; marks: string } | null = null;
  for (const [at, line] of lines.entries()) {
    const [, before = "", marks = "", after = ""] = fence.exec(line) ?? [];
    const indent = before.length;
    if (!open) {
      if (marks === "" || (marks.startsWith("`") && after.includes("`"))) continue;
      // Whether this is a fence depends on what stands around it.
      if (before.trim() !== "" || before.includes("\t") || indent > 3)
        return { isCode, tail: `\n${marks}` };
      open = { indent, marks };
      isCode[at] = true;
      continue;
    }
    const dedented = line.trim() !== "" && line.search(/[^ ]/) < open.indent;
    const ends = marks.startsWith(open.marks) && after.trim() === "" && before.trim() === "";
    if (ends && (open.indent === 0 ? indent <= 3 : indent === open.indent)) {
      isCode[at] = true;
      open = null;
    } else if (open.indent > 0 && (dedented || ends)) return { isCode, tail: `\n${open.marks}` };
    else isCode[at] = true;
  }
  return { isCode, tail: open ? `\n${" ".repeat(open.indent)}${open.marks}` : "" };
}

/** A control character that nobody writes. */
const stand = "\u001a";

const ticks = /`+/g;

/** Where code stands within a line; null where its marks do not come in pairs. */
function spans(line: string): [from: number, to: number][] | null {
  if (line.includes("\\`")) return null;
  const marks = [...line.matchAll(ticks)];
  const found: [number, number][] = [];
  for (let at = 0; at < marks.length; at += 1) {
    const mark = marks[at];
    let end = at + 1;
    while (end < marks.length && marks[end]?.[0] !== mark?.[0]) end += 1;
    const last = marks[end];
    if (!mark || !last) return null;
    found.push([mark.index, last.index + last[0].length]);
    at = end;
  }
  return found;
}

const isOdd = (backslashes: string) => backslashes.length % 2 === 1;
const isHarmless = (place: string) => /^<?(?:https?:\/\/|mailto:|#)/i.test(place);
const keptTag = /^<(?:\/?(?:sub|sup|kbd)|br\s*\/?)>/i;
const longestAddress = 2_000;
const address = /^<(?:https?:\/\/|mailto:)[^\s<>`]*>/i;

/**
 * A run of backslashes is looked at from its first one alone, and of an address only as much as says
 * what it is (`<https://`): a text may have a hundred thousand of either.
 */
function harmless(text: string): string {
  return text
    .replace(/(?<!\\)(\\*)!(?=\[)/g, (all, before: string) =>
      isOdd(before) ? all : `${before}\\!`,
    )
    .replace(/(?<!\\)(\\*)\]\((?=\s*(\S{0,9}))/g, (all, before: string, place: string) =>
      isOdd(before) || isHarmless(place) || place.startsWith(")") ? all : `${before}\\](`,
    )
    .replace(
      /(?<!\\)(\\*)\[(?!\^)((?:\\.|[^[\]\\]){1,999})\]:(?=\s*(\S{0,9}))/g,
      (all, before: string, label: string, place: string) =>
        isOdd(before) || isHarmless(place) ? all : `${before}\\[${label}]:`,
    )
    .replace(/(?<!\\)(\\*)<(?=[a-z/!?])/gi, (all, before: string, at: number, whole: string) => {
      const rest = whole.slice(at + before.length, at + before.length + longestAddress);
      return isOdd(before) || keptTag.test(rest) || address.test(rest) ? all : `${before}\\<`;
    });
}

/** Lines without a blank one between them: only together do they say what is code within them. */
function paragraph(lines: readonly string[]): string {
  const code = lines.map(spans);
  if (code.includes(null)) return harmless(lines.join("\n"));
  // An address or a name may go on in the next line, so what is no code is looked at as a whole.
  const kept: string[] = [];
  const text = lines.map((line, at) => {
    let out = "";
    let from = 0;
    for (const [start, end] of code[at] ?? []) {
      out += `${line.slice(from, start)}${stand}`;
      kept.push(line.slice(start, end));
      from = end;
    }
    return out + line.slice(from);
  });
  let next = 0;
  return harmless(text.join("\n")).replaceAll(stand, () => kept[next++] ?? "");
}

export function neutral(markdown: string): string {
  // Its own stand-in for code is not for a text to bring along.
  const lines = markdown.replaceAll(stand, "").split(/\r?\n/);
  const { isCode, tail } = codeLines(lines);
  const out: string[] = [];
  let open: string[] = [];
  const close = () => {
    if (open.length > 0) out.push(paragraph(open));
    open = [];
  };
  for (const [at, line] of lines.entries()) {
    if (isCode[at] || line.trim() === "") {
      close();
      out.push(line);
    } else open.push(line);
  }
  close();
  return out.join("\n") + tail;
}

/** The same for a name within a line: whoever has put a council together gives its members theirs. */
export const neutralName = (name: string): string => neutral(name).replaceAll("\n", " ");
