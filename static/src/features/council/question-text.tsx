import { CodeBlock } from "../../markdown/lazy";
import { Marked } from "../../markdown/marks";

const fence =
  /^(`{3,}|~{3,})[ \t]*([\w+#.-]*)[^`\n]*\n([\s\S]*?)(?:\n?^\1[`~]*[ \t]*$|(?![\s\S]))/gm;

/** A question as it was typed, but that what stands between fences is code. */
export default function QuestionText({ text }: { text: string }) {
  const parts = [];
  let from = 0;
  for (const found of text.matchAll(fence)) {
    const [whole, , language = "", code = ""] = found;
    const before = text.slice(from, found.index).trim();
    if (before !== "") parts.push(<Words key={from} text={before} />);
    parts.push(<CodeBlock key={found.index} language={language || null} text={code} />);
    from = found.index + whole.length;
  }
  const rest = text.slice(from).trim();
  if (rest !== "") parts.push(<Words key={from} text={rest} />);
  return parts;
}

const Words = ({ text }: { text: string }) => (
  <p dir="auto" className="question">
    <Marked text={text} />
  </p>
);
