/**
 * A model's text as safe elements. Nothing in it runs, nothing in it loads: no raw HTML, no
 * scripts, links open apart, images are links.
 */
import { memo, useMemo } from "react";
import ReactMarkdown, { type Components } from "react-markdown";
import rehypeSanitize, { defaultSchema } from "rehype-sanitize";
import remarkGfm from "remark-gfm";
import remarkMath from "remark-math";
import { ScrollBox } from "../ui/scroll-box";
import { splitBlocks } from "./blocks";
import { CodeBlock, Maths } from "./lazy";
import { withNames } from "./names";

const schema = {
  ...defaultSchema,
  attributes: {
    ...defaultSchema.attributes,
    code: [["className", /^language-[\w+#.-]*$/, "math-inline", "math-display"] as const],
  },
} as typeof defaultSchema;

/** An image's address can carry text out of the page, so nothing is fetched unless a person goes there. */
function HeldImage({ src, alt }: { src: string; alt: string }) {
  return (
    <a className="held-image" href={src} target="_blank" rel="noopener noreferrer">
      {alt ? `Image: ${alt}` : "Image"}
    </a>
  );
}

const components: Components = {
  a: ({ href, children }) =>
    href?.startsWith("#") ? (
      <a href={href}>{children}</a>
    ) : (
      <a href={href} target="_blank" rel="noopener noreferrer">
        {children}
      </a>
    ),
  img: ({ src, alt }) => (typeof src === "string" ? <HeldImage src={src} alt={alt ?? ""} /> : null),
  table: ({ children }) => (
    <ScrollBox label="Table">
      <table>{children}</table>
    </ScrollBox>
  ),
  // The page's own headings end at h4, so a text's begin at h5.
  h1: ({ children }) => <h5 className="md-h1">{children}</h5>,
  h2: ({ children }) => <h5 className="md-h2">{children}</h5>,
  h3: ({ children }) => <h6 className="md-h3">{children}</h6>,
  h4: ({ children }) => <h6 className="md-h3">{children}</h6>,
  h5: ({ children }) => <h6 className="md-h3">{children}</h6>,
  h6: ({ children }) => <h6 className="md-h3">{children}</h6>,
  pre: ({ children }) => <>{children}</>,
  code: ({ className, children, node }) => {
    const text = String(children ?? "");
    const kind = className ?? "";
    if (kind.includes("math-display")) return <Maths tex={text} display />;
    if (kind.includes("math-inline")) return <Maths tex={text} display={false} />;
    const language = /language-([\w+#.-]+)/.exec(kind)?.[1] ?? null;
    const start = node?.position?.start.line;
    const isBlock = language !== null || text.endsWith("\n") || start !== node?.position?.end.line;
    if (!isBlock) return <code>{children}</code>;
    return <CodeBlock language={language} text={text.replace(/\n$/, "")} />;
  },
};

const maths: [typeof remarkMath, { singleDollarTextMath: boolean }] = [
  remarkMath,
  { singleDollarTextMath: false },
];

const Block = memo(function Block({
  text,
  names,
}: {
  text: string;
  names: Readonly<Record<string, string>> | undefined;
}) {
  const plugins = useMemo(
    () => (names ? [remarkGfm, maths, withNames(names)] : [remarkGfm, maths]),
    [names],
  );
  return (
    <ReactMarkdown
      remarkPlugins={plugins}
      rehypePlugins={[[rehypeSanitize, schema]]}
      components={components}
    >
      {text}
    </ReactMarkdown>
  );
});

interface Props {
  text: string;
  /** The text is still growing: unfinished marks are closed for display. */
  streaming?: boolean;
  /** "Response A" → the name to show in its place. Keep the object's identity. */
  names?: Readonly<Record<string, string>> | undefined;
}

export const Markdown = memo(function Markdown({ text, streaming = false, names }: Props) {
  const blocks = useMemo(() => splitBlocks(text, streaming), [text, streaming]);
  return (
    <div className="markdown">
      {blocks.map((block, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: blocks only ever grow at the end
        <Block key={at} text={block} names={names} />
      ))}
    </div>
  );
});
