/** Hidden characters as something that is seen: the marks of `hidden.ts`, in elements. */
import type { Element, ElementContent, Root, RootContent } from "hast";
import { Fragment } from "react";
import { type Mark, marked } from "./hidden";

const className = "md-hidden";

/** The words come from the style sheet: selected and copied, nothing of the mark comes along. */
const element = ({ label, title }: Mark): Element => ({
  type: "element",
  tagName: "span",
  properties: { className: [className], role: "img", ariaLabel: title, title, dataMark: label },
  children: [],
});

/** Code in a block says above it that it holds such characters, and formulas are read by their typesetter. */
const isLeftAlone = ({ tagName, properties }: Element) =>
  tagName === "pre" || (tagName === "code" && Boolean(properties.className));

function walk(node: Root | Element) {
  node.children = (node.children as RootContent[]).flatMap((child): RootContent[] => {
    if (child.type === "text") {
      const pieces = marked(child.value);
      if (pieces.every((piece) => piece === child.value)) return [child];
      return pieces.map((piece) =>
        typeof piece === "string" ? { type: "text", value: piece } : element(piece),
      );
    }
    if (child.type === "element" && !isLeftAlone(child)) walk(child);
    return [child];
  }) as ElementContent[];
}

/** A rehype plugin, after the sanitiser. */
export const withMarks = () => (tree: Root) => walk(tree);

/** A text that is not Markdown, with the same marks. */
export function Marked({ text }: { text: string }) {
  const pieces = marked(text);
  if (pieces.length === 1 && pieces[0] === text) return text;
  return pieces.map((piece, at) =>
    typeof piece === "string" ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a text never change their places
      <Fragment key={at}>{piece}</Fragment>
    ) : (
      <span
        // biome-ignore lint/suspicious/noArrayIndexKey: see above
        key={at}
        className={className}
        role="img"
        aria-label={piece.title}
        title={piece.title}
        data-mark={piece.label}
      />
    ),
  );
}
