/**
 * Splits Markdown into blocks that can be rendered one by one: while text streams in, only the
 * last block changes, and the ones before it keep their rendered form and are not read again.
 */
import { Lexer, type Token } from "marked";
import remend from "remend";
import { isTangled, outsideCode, pieces, withoutDepths } from "./parser-limits";

export interface Block {
  /** `plain` is shown as written: parsing it would hold the page up. `code` is only the code. */
  kind: "markdown" | "table" | "code" | "plain";
  text: string;
  /** Of code, if it says. */
  language?: string | null;
}

/**
 * Models write maths as `\( \)`, `\[ \]` and `$ $`; one form is parsed, `$$ $$`. A single dollar
 * counts only around something that looks like maths, because prices do too.
 */
export function oneKindOfMaths(text: string): string {
  if (!/\\[([]|\$/.test(text)) return text;
  return outsideCode(text, (part) =>
    part
      // On a line of its own it stands by itself, as between two lines of dollars.
      .replace(
        /^((?:[ \t>]|[-*+] |\d{1,9}[.)] )*)\$\$(?!\$)([^\n$]{1,20000})\$\$[ \t]*$/gm,
        (_, before: string, tex: string) => {
          const next = before.replace(/[^>\t]/g, " ");
          return `${before}$$\n${next}${tex.trim()}\n${next}$$`;
        },
      )
      .replace(
        /\\\[((?:(?!\\\[)[\s\S]){1,20000}?)\\\]/g,
        (_, tex: string) => `\n$$\n${tex.trim()}\n$$\n`,
      )
      .replace(/\\\(((?:(?!\\\()[^\n]){1,5000}?)\\\)/g, (_, tex: string) => `$$${tex.trim()}$$`)
      .replace(
        /(?<![\\$\w])\$(?![\s$])(?=[^$\n]*[\\^_={}])([^$\n]+)(?<![\s\\])\$(?![\d$])/g,
        (_, tex: string) => `$$${tex}$$`,
      ),
  );
}

/** Longer lists and tables of cells are rendered piece by piece. */
const longestList = 4_000;
const mostCells = 600;
/** Footnotes refer across blocks; up to this length such a text is one block. */
const longestWithNotes = 40_000;

const isOdd = (text: string) => (text.split("$$").length - 1) % 2 === 1;

interface Lexed {
  tokens: Token[];
  links: Readonly<Record<string, { href: string | null }>>;
}

/** Block by block only: what stands inside the lines is read when a block is rendered. */
function lex(text: string): Lexed {
  const lexer = new Lexer({ gfm: true });
  lexer.blockTokens(text, lexer.tokens);
  return {
    tokens: lexer.tokens.filter((token) => token.type !== "space"),
    links: lexer.tokens.links,
  };
}

/** A long list as several that follow one another; numbered ones go on counting by themselves. */
function parts(items: readonly { raw: string }[]): string[] {
  const all: string[] = [];
  let part = "";
  for (const { raw } of items) {
    if (part.length + raw.length > longestList && part !== "") {
      all.push(part);
      part = "";
    }
    part += raw;
  }
  all.push(part);
  return all;
}

function blocksOf(token: Token): Block[] {
  const { raw } = token;
  switch (token.type) {
    case "code":
      return [
        {
          kind: "code",
          text: token.text,
          language: /^[\w+#.-]+/.exec(token.lang ?? "")?.[0] ?? null,
        },
      ];
    case "def":
      // A footnote whose place is not known yet; others are only there for the links.
      return raw.startsWith("[^") ? plainOr("plain", raw) : [];
    case "table":
      if (token.header.length * token.rows.length <= mostCells) break;
      return [{ kind: "table", text: raw }];
    case "list":
      if (raw.length <= longestList) break;
      return parts(token.items).flatMap((text) => plainOr("markdown", text));
  }
  return plainOr("markdown", raw);
}

function plainOr(kind: Block["kind"], text: string): Block[] {
  if (kind !== "plain" && !isTangled(text)) return [{ kind, text }];
  return pieces(text).map((piece) => ({ kind: "plain", text: piece }));
}

/** From here on, short paragraphs share a block: thousands of blocks are slow, however short they are. */
const single = 40;
const longestShared = 3_000;
const short = 500;

/** Adds blocks to those before them; `shared` says which tokens may share a block. */
function add(blocks: Block[], next: readonly Block[], canShare: boolean) {
  for (const block of next) {
    const last = blocks.at(-1);
    const isSmall = canShare && block.text.length < short && last?.kind === block.kind;
    if (last && isSmall && blocks.length > single && last.text.length < longestShared) {
      blocks[blocks.length - 1] = { ...last, text: `${last.text.trimEnd()}\n\n${block.text}` };
    } else blocks.push(block);
  }
}

const sharing = new Set(["paragraph", "heading", "def", "hr"]);

function split(text: string, before: readonly Block[] = []): Block[] {
  const { tokens, links } = lex(text);
  const blocks = [...before];
  let open = "";
  for (const token of tokens) {
    // A display formula with a blank line in it is one block.
    if (open !== "" || (token.type !== "code" && isOdd(token.raw))) {
      open = open === "" ? token.raw : `${open}\n\n${token.raw}`;
      if (isOdd(open) && open.length < longestList) continue;
      blocks.push(...plainOr("markdown", open));
      open = "";
    } else add(blocks, blocksOf(token), sharing.has(token.type));
  }
  if (open !== "") blocks.push(...plainOr("markdown", open));
  return withDefinitions(blocks, links);
}

/** Whether a text has notes at its foot. */
const hasNotes = (text: string) =>
  text.length <= longestWithNotes && /^\[\^[^\]\s]+\]:/m.test(text);

/** Every block gets the definitions of the links it uses. */
function withDefinitions(blocks: Block[], links: Lexed["links"]): Block[] {
  const definitions = Object.entries(links).slice(0, 200);
  if (definitions.length === 0) return blocks;
  return blocks.map((block) => {
    if (block.kind !== "markdown" || !block.text.includes("[")) return block;
    const text = block.text.toLowerCase();
    const used = definitions.filter(([label]) => text.includes(`[${label}]`));
    if (used.length === 0) return block;
    const lines = used.map(([label, link]) => `[${label}]: <${link.href ?? ""}>`);
    return { kind: block.kind, text: `${block.text}\n\n${lines.join("\n\n")}` };
  });
}

/** The whole text at once. */
export function splitBlocks(markdown: string): Block[] {
  const text = oneKindOfMaths(withoutDepths(markdown));
  return hasNotes(text) ? plainOr("markdown", text) : split(text);
}

/** A last block longer than this is not looked through for unfinished marks. */
const longestMended = 20_000;

const count = (text: string, what: string) => text.split(what).length - 1;

/** How much of the text will not change its meaning, whatever follows: all but its last block. */
function settledLength(text: string): number {
  const lexer = new Lexer({ gfm: true });
  const tokens = lexer.blockTokens(text, []);
  const last = tokens.findLastIndex((token) => token.type !== "space");
  const final = tokens[last];
  if (!final) return 0;
  let length = tokens.slice(0, last).reduce((sum, token) => sum + token.raw.length, 0);
  if (final.type === "list" && final.raw.length > 2 * longestList) {
    const items: { raw: string }[] = final.items;
    length += items.slice(0, -1).reduce((sum, item) => sum + item.raw.length, 0);
  } else if (final.type === "paragraph" && isTangled(final.raw)) {
    // It stays as written; the last line may yet become something else.
    const whole = pieces(final.raw).slice(0, -1).join("");
    length += whole.length;
  }
  const settled = text.slice(0, length);
  const inFormula = isOdd(settled) || count(settled, "\\[") > count(settled, "\\]");
  // A formula that never ends must not make every later block wait for it.
  return inFormula && length < longestList ? 0 : length;
}

/**
 * For a text that is still being written: what was settled before is not read again. The blocks are
 * the same as those of the whole text, but for footnotes and links that are defined elsewhere.
 */
export function growing(): (markdown: string) => Block[] {
  let settled = "";
  let blocks: Block[] = [];
  return (markdown) => {
    if (!markdown.startsWith(settled)) {
      settled = "";
      blocks = [];
    }
    const tail = withoutDepths(markdown.slice(settled.length));
    // What is left out of the tail has other lengths than what came.
    const length = tail.length === markdown.length - settled.length ? settledLength(tail) : 0;
    if (length > 0) {
      const next = tail.slice(0, length);
      settled += next;
      blocks = split(oneKindOfMaths(next), blocks);
    }
    const rest = tail.slice(length);
    return split(oneKindOfMaths(rest.length > longestMended ? rest : remend(rest)), blocks);
  };
}
