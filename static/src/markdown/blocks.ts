/**
 * Splits Markdown into blocks that can be rendered one by one: while text streams in, only the
 * last block changes, and the ones before it keep their rendered form.
 */
import { marked } from "marked";
import remend from "remend";

/** Fenced and inline code, which no rewriting may touch. */
const code = /(^|\n)(`{3,}|~{3,})[\s\S]*?(?:\n\2[^\n]*|$)|`+[^`\n]+`+/g;

function outsideCode(text: string, change: (part: string) => string): string {
  let out = "";
  let from = 0;
  for (const match of text.matchAll(code)) {
    out += change(text.slice(from, match.index)) + match[0];
    from = match.index + match[0].length;
  }
  return out + change(text.slice(from));
}

/**
 * Models write maths as `\( \)`, `\[ \]` and `$ $`; one form is parsed, `$$ $$`. A single dollar
 * counts only around something that looks like maths, because prices do too.
 */
export function oneKindOfMaths(text: string): string {
  if (!/\\[([]|\$/.test(text)) return text;
  return outsideCode(text, (part) =>
    part
      .replace(/\\\[([\s\S]+?)\\\]/g, (_, tex: string) => `\n$$\n${tex.trim()}\n$$\n`)
      .replace(/\\\(([^\n]+?)\\\)/g, (_, tex: string) => `$$${tex.trim()}$$`)
      .replace(
        /(?<![\\$\w])\$(?![\s$])([^$\n]*[\\^_={}][^$\n]*?)(?<![\s\\])\$(?![\d$])/g,
        (_, tex: string) => `$$${tex}$$`,
      ),
  );
}

const isOdd = (text: string) => (text.split("$$").length - 1) % 2 === 1;

export function splitBlocks(markdown: string, streaming: boolean): string[] {
  const text = oneKindOfMaths(streaming ? remend(markdown) : markdown);
  // Footnotes refer across blocks; such a text is one block.
  if (/\[\^[^\]\s]+\]/.test(text)) return [text];
  const tokens = marked.lexer(text, { gfm: true });
  const definitions = Object.entries(tokens.links);
  const blocks: string[] = [];
  for (const token of tokens) {
    if (token.type === "space") continue;
    const last = blocks.at(-1);
    // A display formula with a blank line in it is one block.
    if (last !== undefined && isOdd(last)) blocks[blocks.length - 1] = `${last}\n\n${token.raw}`;
    else blocks.push(token.raw);
  }
  if (definitions.length === 0) return blocks;
  return blocks.map((block) => {
    const used = definitions.filter(([label]) => block.toLowerCase().includes(`[${label}]`));
    return used.reduce((all, [label, link]) => `${all}\n\n[${label}]: <${link.href}>`, block);
  });
}
