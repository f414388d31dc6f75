/**
 * A remark plugin for the HTML in a model's text: line breaks, sub- and superscripts and keys keep their
 * meaning, without any attribute; everything else stands there as it was written.
 */
import type { Paragraph, PhrasingContent, Root, RootContent } from "mdast";

const tag = /^<(\/?)(br|sub|sup|kbd)\s*\/?>$/i;
const comment = /^<!--[\s\S]*-->\s*$/;

function tagOf(node: RootContent | undefined): { name: string; closes: boolean } | null {
  if (node?.type !== "html") return null;
  const found = tag.exec(node.value.trim());
  return found ? { name: (found[2] ?? "").toLowerCase(), closes: found[1] === "/" } : null;
}

/** Elements that are written inside of a line. */
function inLine(nodes: readonly PhrasingContent[]): PhrasingContent[] {
  const all: PhrasingContent[] = [];
  for (let at = 0; at < nodes.length; at += 1) {
    const node = nodes[at] as PhrasingContent;
    const found = tagOf(node);
    if (node.type !== "html") all.push(node);
    else if (found?.name === "br") all.push({ type: "break" });
    else if (found && !found.closes) {
      const end = nodes.findIndex((other, place) => {
        const closing = place > at ? tagOf(other) : null;
        return closing?.closes === true && closing.name === found.name;
      });
      if (end < 0) all.push({ type: "text", value: node.value });
      else {
        all.push({
          type: "emphasis",
          data: { hName: found.name },
          children: inLine(nodes.slice(at + 1, end)),
        });
        at = end;
      }
    } else if (!comment.test(node.value)) all.push({ type: "text", value: node.value });
  }
  return all;
}

/** A block of HTML, line by line as it was written. */
function asWritten(value: string): Paragraph {
  const children = value.split("\n").flatMap((line, at): PhrasingContent[] => {
    const own: PhrasingContent[] =
      tag.test(line.trim()) && /br/i.test(line) ? [] : [{ type: "text", value: line }];
    return at === 0 ? own : [{ type: "break" }, ...own];
  });
  return { type: "paragraph", children };
}

const lines = new Set([
  "paragraph",
  "heading",
  "emphasis",
  "strong",
  "delete",
  "link",
  "tableCell",
]);

function walk(node: { type: string; children: RootContent[] }) {
  if (lines.has(node.type)) node.children = inLine(node.children as PhrasingContent[]);
  else {
    node.children = node.children.flatMap((child): RootContent[] => {
      if (child.type !== "html") return [child];
      return comment.test(child.value) ? [] : [asWritten(child.value)];
    });
  }
  for (const child of node.children) {
    if ("children" in child) walk(child as { type: string; children: RootContent[] });
  }
}

export const withSomeHtml = () => (tree: Root) => walk(tree);
