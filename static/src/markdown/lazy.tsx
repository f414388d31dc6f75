/** Code colours and maths, fetched when the first code or formula is on the page. */
import { type ReactNode, useEffect, useRef, useState } from "react";
import { CopyButton } from "../ui/copy";

type Highlight = (language: string, text: string) => ReactNode | null;
let highlighting: Promise<Highlight> | undefined;
const loadHighlight = () => {
  highlighting ??= import("./highlight").then((module) => module.highlight);
  return highlighting;
};

export function CodeBlock({ language, text }: { language: string | null; text: string }) {
  const [highlight, setHighlight] = useState<Highlight | null>(null);
  useEffect(() => {
    if (language === null) return;
    let here = true;
    loadHighlight().then(
      (loaded) => here && setHighlight(() => loaded),
      () => undefined, // Without colours the code is still readable.
    );
    return () => {
      here = false;
    };
  }, [language]);
  const coloured = language !== null && highlight ? highlight(language, text) : null;
  return (
    <figure className="code">
      <figcaption>
        <span>{language ?? "text"}</span>
        <CopyButton label="Copy" text={() => text} />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: long lines scroll, and keys must reach them */}
      <pre tabIndex={0}>
        <code>{coloured ?? text}</code>
      </pre>
    </figure>
  );
}

let typesetting: Promise<typeof import("./maths")> | undefined;

export function Maths({ tex, display }: { tex: string; display: boolean }) {
  const place = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    let here = true;
    typesetting ??= import("./maths");
    typesetting.then(
      ({ typeset }) => here && place.current && typeset(tex, place.current, display),
      () => undefined, // The formula's source stays as text.
    );
    return () => {
      here = false;
    };
  }, [tex, display]);
  // The content belongs to the typesetter; a new formula is a new element.
  return (
    <span key={tex} ref={place} className={display ? "maths maths-display" : "maths"}>
      {tex}
    </span>
  );
}
