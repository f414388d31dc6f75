/** Code colours and maths, fetched when the first code or formula is on the page. */
import { type ReactNode, useEffect, useRef, useState } from "react";
import { t } from "../i18n";
import { CopyButton } from "../ui/copy";
import { hasHidden } from "./hidden";
import { pieces } from "./parser-limits";

type Highlight = (language: string, text: string) => ReactNode | null;
let highlighting: Promise<Highlight> | undefined;
const loadHighlight = () => {
  highlighting ??= import("./highlight").then((module) => module.highlight);
  return highlighting;
};

/** Code longer than this is laid out piece by piece. */
const longestPiece = 20_000;

/** Code reads from left to right; what would turn it is named, since a compiler does not see it. */
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
        <span>
          {language ?? t("text")}
          {hasHidden(text) && ` · ${t("contains hidden characters")}`}
        </span>
        <CopyButton label={t("Copy")} text={() => text} />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: long lines scroll, and keys must reach them */}
      <pre tabIndex={0} dir="ltr">
        <code>{coloured ?? plain(text)}</code>
      </pre>
    </figure>
  );
}

function plain(text: string): ReactNode {
  if (text.length <= longestPiece) return text;
  return pieces(text, longestPiece).map((piece, at) => (
    <span
      // biome-ignore lint/suspicious/noArrayIndexKey: pieces only ever come at the end
      key={at}
      className="md-far"
      style={{ containIntrinsicBlockSize: `auto ${Math.ceil(piece.split("\n").length * 1.55)}em` }}
    >
      {piece}
    </span>
  ));
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
