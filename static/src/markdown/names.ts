/** A remark plugin that turns "Response A" back into the member's name, in bold. */
import type { PhrasingContent, Root, RootContent } from "mdast";

const label = /\bResponse ([A-Z])\b/g;

function split(text: string, names: Readonly<Record<string, string>>): PhrasingContent[] | null {
  const parts: PhrasingContent[] = [];
  let from = 0;
  for (const match of text.matchAll(label)) {
    const name = names[match[0]];
    if (name === undefined) continue;
    if (match.index > from) parts.push({ type: "text", value: text.slice(from, match.index) });
    parts.push({ type: "strong", children: [{ type: "text", value: name }] });
    from = match.index + match[0].length;
  }
  if (parts.length === 0) return null;
  if (from < text.length) parts.push({ type: "text", value: text.slice(from) });
  return parts;
}

function walk(node: { children: RootContent[] }, names: Readonly<Record<string, string>>) {
  node.children = node.children.flatMap((child): RootContent[] => {
    if (child.type === "text") return split(child.value, names) ?? [child];
    if ("children" in child) walk(child as { children: RootContent[] }, names);
    return [child];
  });
}

export function withNames(names: Readonly<Record<string, string>>) {
  return () => (tree: Root) => walk(tree, names);
}
