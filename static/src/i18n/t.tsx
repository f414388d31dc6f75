import { Fragment, type ReactNode } from "react";
import { count as counted } from "../ui/format";
import { template } from "./index";

type Part = ReactNode | ((inner: string) => ReactNode);

interface Props {
  /** English, with `{{gaps}}` and `<tags>…</tags>`; a tag holds text alone. */
  text: string;
  /** Decides between one and many, and fills `{{count, number}}`. */
  count?: number;
  /** What stands in a gap, or what a tag makes of its text. */
  parts: Readonly<Record<string, Part>>;
}

const hole = /\{\{(\w+)(?:, number)?\}\}|<(\w+)>(.*?)<\/\2>/gs;

/** A sentence in the reader's language with links, emphasis or other elements in it. */
export function T({ text, count, parts }: Props) {
  const all = count === undefined ? parts : { count: counted(count), ...parts };
  const sentence = template(text, count);
  const pieces: ReactNode[] = [];
  let end = 0;
  for (const found of sentence.matchAll(hole)) {
    const [whole, gap, tag, inner = ""] = found;
    pieces.push(sentence.slice(end, found.index));
    const part = all[gap ?? tag ?? ""];
    pieces.push(typeof part === "function" ? part(inner) : part);
    end = found.index + whole.length;
  }
  pieces.push(sentence.slice(end));
  // A sentence's pieces never change their places.
  // biome-ignore lint/suspicious/noArrayIndexKey: see above
  return pieces.map((piece, at) => <Fragment key={at}>{piece}</Fragment>);
}
