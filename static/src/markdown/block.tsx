import type { Element, Root } from "hast";
import { type CSSProperties, memo, type ReactNode, useContext, useMemo, useState } from "react";
import readMarkdown, { type Components } from "react-markdown";
import rehypeSanitize, { defaultSchema } from "rehype-sanitize";
import remarkGfm from "remark-gfm";
import remarkMath from "remark-math";
import { t } from "../i18n";
import { useNear } from "../ui/near";
import { usePrinting } from "../ui/printing";
import { ScrollBox } from "../ui/scroll-box";
import type { Block } from "./blocks";
import { CiteElement, type Cites, CitesContext, withCites, withoutOwnNumbers } from "./cites";
import { withSomeHtml } from "./html";
import { CodeBlock, Maths } from "./lazy";
import { HeldImage, TextLink } from "./links";
import { Marked, withMarks } from "./marks";
import { withNames } from "./names";
import { TopHeading } from "./top-heading";

/** The ids of footnotes begin with the text's own, so that no two texts share one. */
const schemaOf = (id: string) => ({ ...schema, clobberPrefix: `user-content-${id}-` });

const schema = {
  ...defaultSchema,
  protocols: { ...defaultSchema.protocols, href: ["http", "https", "mailto"] },
  attributes: {
    ...defaultSchema.attributes,
    code: [["className", /^language-[\w+#.-]*$/, "math-inline", "math-display"] as const],
  },
} as typeof defaultSchema;

function Heading({ depth, children }: { depth: 1 | 2 | 3; children: ReactNode }) {
  const top = useContext(TopHeading);
  const Tag = depth < 3 ? (`h${top}` as const) : top === 4 ? "h5" : "h6";
  return <Tag className={`md-h${depth}`}>{children}</Tag>;
}

const components: Components = {
  a: TextLink,
  cite: CiteElement,
  img: HeldImage,
  table: ({ children }) => (
    <ScrollBox label={t("Table")}>
      <table>{children}</table>
    </ScrollBox>
  ),
  // Models leave the corner of a table empty: a heading that says nothing is none.
  th: ({ node, ...rest }) => (node?.children.length ? <th {...rest} /> : <td {...rest} />),
  h1: ({ children }) => <Heading depth={1}>{children}</Heading>,
  h2: ({ children }) => <Heading depth={2}>{children}</Heading>,
  h3: ({ children }) => <Heading depth={3}>{children}</Heading>,
  h4: ({ children }) => <Heading depth={3}>{children}</Heading>,
  h5: ({ children }) => <Heading depth={3}>{children}</Heading>,
  h6: ({ children }) => <Heading depth={3}>{children}</Heading>,
  // The only form element that a text has: a task's box.
  input: ({ checked }) => (
    <input
      type="checkbox"
      disabled
      readOnly
      checked={checked === true}
      aria-label={checked ? t("ticked") : t("not ticked")}
    />
  ),
  pre: ({ children }) => <>{children}</>,
  code: ({ className, children, node }) => {
    const text = String(children ?? "");
    const kind = className ?? "";
    if (kind.includes("math-display")) return <Maths tex={text} display />;
    if (kind.includes("math-inline")) return <Maths tex={text} display={false} />;
    const language = /language-([\w+#.-]+)/.exec(kind)?.[1] ?? null;
    const start = node?.position?.start.line;
    const isBlock = language !== null || text.endsWith("\n") || start !== node?.position?.end.line;
    if (!isBlock) return <code dir="auto">{children}</code>;
    return <CodeBlock language={language} text={text.replace(/\n$/, "")} />;
  },
};

const maths: [typeof remarkMath, { singleDollarTextMath: boolean }] = [
  remarkMath,
  { singleDollarTextMath: false },
];

type Names = Readonly<Record<string, string>> | undefined;

const Source = ({ text }: { text: string }) => (
  <div className="md-source">
    <Marked text={text} />
  </div>
);

/** Footnotes link to ids that the sanitiser has changed. */
const withLocalLinks = (id: string) => () => (tree: Root) => {
  const walk = (node: Root | Element) => {
    for (const child of node.children) {
      if (child.type !== "element") continue;
      const { href } = child.properties;
      if (typeof href === "string" && href.startsWith("#")) {
        child.properties.href = `#user-content-${id}-${href.slice(1)}`;
      }
      walk(child);
    }
  };
  walk(tree);
};

/** A text that the parser does not get through is shown as written, and the rest of the page stays. */
function read(text: string, names: Names, id: string, cites: Cites | null): ReactNode {
  try {
    // A plain function: called, and not left to React, so that what it throws is caught here.
    return readMarkdown({
      children: text,
      remarkPlugins: [
        remarkGfm,
        maths,
        withSomeHtml,
        ...(names ? [withNames(names)] : []),
        ...(cites ? [withoutOwnNumbers(cites.known)] : []),
      ],
      remarkRehypeOptions: { clobberPrefix: "" },
      rehypePlugins: [
        [rehypeSanitize, schemaOf(id)],
        withLocalLinks(id),
        ...(cites ? [withCites(cites.known)] : []),
        withMarks,
      ],
      components,
    });
  } catch {
    return <Source text={text} />;
  }
}

interface Content {
  text: string;
  names: Names;
  /** The text's own, for what refers within it. */
  id: string;
}

function Rendered({ text, names, id }: Content) {
  const cites = useContext(CitesContext);
  return useMemo(() => read(text, names, id, cites), [text, names, id, cites]);
}

const cellsAtOnce = 600;

/** A table too large to show at once: its first rows, and more on demand. */
function LongTable({ text, names, id }: Content) {
  const [shares, setShares] = useState(1);
  const printing = usePrinting((state) => state.printing);
  const lines = text.trimEnd().split("\n");
  const columns = Math.max(1, (lines[1] ?? "").split("|").length - 2);
  const rows = lines.length - 2;
  const share = Math.max(1, Math.floor(cellsAtOnce / columns));
  // Nobody can ask for more of them on paper.
  const shown = printing ? rows : Math.min(rows, shares * share);
  return (
    <>
      <Rendered text={lines.slice(0, 2 + shown).join("\n")} names={names} id={id} />
      {shown < rows && (
        <p className="md-more">
          {t("{{shown}} of {{rows}} rows.", { shown, rows })}{" "}
          <button type="button" className="quiet-button" onClick={() => setShares(shares + 1)}>
            {t("Show more rows")}
          </button>
        </p>
      )}
    </>
  );
}

type Props = Block & Content;

/** One block of a text. Which way it is read is for its own letters to say. */
export const BlockView = memo(function BlockView({ kind, text, names, id, language }: Props) {
  let body: ReactNode;
  if (kind === "plain") body = <Source text={text} />;
  else if (kind === "code") body = <CodeBlock language={language ?? null} text={text} />;
  else if (kind === "table") body = <LongTable text={text} names={names} id={id} />;
  else body = <Rendered text={text} names={names} id={id} />;
  return (
    <div dir="auto" className="md-block">
      {body}
    </div>
  );
});

/** About how high a text will be, so that the page's length does not jump when it is laid out. */
function sizeOf(text: string): CSSProperties {
  const lines = Math.max(text.length / 70, text.split("\n").length);
  return { containIntrinsicBlockSize: `auto ${Math.ceil(lines * 1.7)}em` };
}

interface FarProps extends Omit<Content, "text"> {
  blocks: readonly Block[];
}

const isSame = (before: FarProps, next: FarProps) =>
  before.names === next.names &&
  before.id === next.id &&
  before.blocks.length === next.blocks.length &&
  before.blocks.every((block, at) => {
    const other = next.blocks[at];
    return block === other || (block.text === other?.text && block.kind === other.kind);
  });

/**
 * Blocks far down in a long text: as written until the reader comes near. Several are one element,
 * because a browser looks after each such element in every frame, be it only that a key is pressed.
 */
export const FarBlocks = memo(function FarBlocks({ blocks, names, id }: FarProps) {
  const [place, near] = useNear<HTMLDivElement>(false);
  const text = blocks.map((block) => block.text.trimEnd()).join("\n\n");
  return (
    <div ref={place} dir="auto" className="md-far" style={sizeOf(text)}>
      {near ? (
        blocks.map((block, at) => (
          <BlockView
            // biome-ignore lint/suspicious/noArrayIndexKey: blocks only ever grow at the end
            key={at}
            kind={block.kind}
            text={block.text}
            names={names}
            id={id}
            language={block.language ?? null}
          />
        ))
      ) : (
        <Source text={text} />
      )}
    </div>
  );
}, isSame);
