import { toJsxRuntime } from "hast-util-to-jsx-runtime";
import bash from "highlight.js/lib/languages/bash";
import cpp from "highlight.js/lib/languages/cpp";
import css from "highlight.js/lib/languages/css";
import diff from "highlight.js/lib/languages/diff";
import go from "highlight.js/lib/languages/go";
import java from "highlight.js/lib/languages/java";
import json from "highlight.js/lib/languages/json";
import python from "highlight.js/lib/languages/python";
import rust from "highlight.js/lib/languages/rust";
import sql from "highlight.js/lib/languages/sql";
import typescript from "highlight.js/lib/languages/typescript";
import xml from "highlight.js/lib/languages/xml";
import yaml from "highlight.js/lib/languages/yaml";
import { createLowlight } from "lowlight";
import type { ReactNode } from "react";
import { Fragment, jsx, jsxs } from "react/jsx-runtime";
import { mermaid } from "./mermaid";

const lowlight = createLowlight({
  bash,
  cpp,
  css,
  diff,
  go,
  java,
  json,
  mermaid,
  python,
  rust,
  sql,
  typescript,
  xml,
  yaml,
});
lowlight.registerAlias({
  bash: ["sh", "shell", "zsh", "console"],
  cpp: ["c", "h", "hpp", "c++"],
  typescript: ["ts", "tsx", "js", "jsx", "javascript"],
  python: ["py"],
  rust: ["rs"],
  xml: ["html", "svg"],
  yaml: ["yml"],
});

/** Past this a colouring takes longer than a frame; such code stays plain. */
const longestText = 20_000;

/** Coloured code as elements; null for a language that is not among these. */
export function highlight(language: string, text: string): ReactNode | null {
  const name = language.toLowerCase();
  if (text.length > longestText || !lowlight.registered(name)) return null;
  return toJsxRuntime(lowlight.highlight(name, text), { Fragment, jsx, jsxs });
}
