/**
 * Numbers in brackets that a text cites its sources by, `[2]`, `[2, 5]` and `[2][5]`, as ways to those
 * sources. Which numbers are sources is said from outside; every other one stays the text that it is, and
 * code is left alone.
 */
import type { Element, ElementContent, Root, RootContent } from "hast";
import type { Nodes as MarkdownNodes, Root as MarkdownRoot } from "mdast";
import { type ComponentType, createContext, Fragment, useContext } from "react";

export interface Cites {
  readonly known: ReadonlySet<number>;
  /** What stands in the place of a number. */
  readonly Cite: ComponentType<{ n: number }>;
}

/** Null where nothing is cited. Keep the object's identity: a new one has every text read anew. */
export const CitesContext = createContext<Cites | null>(null);

// As the server reads them (`council/searching/citations.rs`).
const group = /(?<![![])\[(\s*\d{1,4}\s*(?:,\s*\d{1,4}\s*)*)\]/g;
const tagName = "cite";

const element = (n: number): Element => ({
  type: "element",
  tagName,
  properties: { dataSource: n },
  children: [],
});

function split(text: string, known: ReadonlySet<number>): RootContent[] | null {
  const parts: RootContent[] = [];
  let from = 0;
  for (const found of text.matchAll(group)) {
    const [whole, inner = ""] = found;
    const numbers = inner.split(",").map((part) => Number(part.trim()));
    if (!numbers.some((n) => known.has(n))) continue;
    if (found.index > from) parts.push({ type: "text", value: text.slice(from, found.index) });
    for (const n of numbers) {
      parts.push(known.has(n) ? element(n) : { type: "text", value: `[${n}]` });
    }
    from = found.index + whole.length;
  }
  if (parts.length === 0) return null;
  if (from < text.length) parts.push({ type: "text", value: text.slice(from) });
  return parts;
}

/** A link in a link is none, and what stands in code is meant as it is. */
const isLeftAlone = ({ tagName }: Element) => ["a", "code", "pre"].includes(tagName);

function walk(node: Root | Element, known: ReadonlySet<number>) {
  node.children = (node.children as RootContent[]).flatMap((child): RootContent[] => {
    if (child.type === "text") return split(child.value, known) ?? [child];
    if (child.type === "element" && !isLeftAlone(child)) walk(child, known);
    return [child];
  }) as ElementContent[];
}

/** A rehype plugin, after the sanitiser: no text can write its elements. */
export const withCites = (known: ReadonlySet<number>) => () => (tree: Root) => walk(tree, known);

/**
 * A remark plugin: where a text defines `[2]: https://…` itself, the number is still that of the run's
 * source, and does not lead elsewhere.
 */
export const withoutOwnNumbers = (known: ReadonlySet<number>) => () => (tree: MarkdownRoot) => {
  const isKnown = (label: string) => /^\d{1,4}$/.test(label) && known.has(Number(label));
  const unlink = (node: MarkdownNodes): MarkdownNodes => {
    if (node.type !== "linkReference") return node;
    const [inner] = node.children;
    const text = inner?.type === "text" && node.children.length === 1 ? inner.value : null;
    if (text === null || !(isKnown(node.label ?? node.identifier) || isKnown(text))) return node;
    const label = node.referenceType === "full" ? `[${node.label ?? node.identifier}]` : "";
    return { type: "text", value: `[${text}]${label}` };
  };
  const through = (node: MarkdownNodes) => {
    if (!("children" in node)) return;
    node.children = node.children.map((child) => unlink(child)) as typeof node.children;
    for (const child of node.children) through(child);
  };
  through(tree);
};

/** The component of such an element. */
export function CiteElement({ node }: { node?: Element | undefined }) {
  const cites = useContext(CitesContext);
  const n = Number(node?.properties.dataSource);
  return cites?.known.has(n) ? <cites.Cite n={n} /> : `[${n}]`;
}

/** A line that is no Markdown, with its numbers as ways to their sources. */
export function CitedText({ text }: { text: string }) {
  const cites = useContext(CitesContext);
  const parts = cites && split(text, cites.known);
  if (!parts) return text;
  return parts.map((part, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text never change their places
    <Fragment key={at}>
      {part.type === "element" ? <CiteElement node={part} /> : part.type === "text" && part.value}
    </Fragment>
  ));
}
