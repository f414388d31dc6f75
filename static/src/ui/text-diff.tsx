import "../styles/panels.css";
import { diffWordsWithSpace } from "diff";
import { useMemo } from "react";
import { t } from "../i18n";

/** Past this the reader waits: such texts have hardly anything in common. */
const patienceMs = 800;

const words = (text: string) => text.split(/\s+/).filter(Boolean).length;

/** What was taken out and what was added between two versions of a text, word by word. */
export default function TextDiff({ before, after }: { before: string; after: string }) {
  const parts = useMemo(
    () => diffWordsWithSpace(before, after, { timeout: patienceMs }),
    [before, after],
  );
  if (!parts)
    return <p className="quiet">{t("The two texts have too little in common to compare.")}</p>;
  const sum = (kind: "added" | "removed") =>
    parts.reduce((total, part) => total + (part[kind] ? words(part.value) : 0), 0);
  const added = sum("added");
  const removed = sum("removed");
  if (added + removed === 0) return <p className="quiet">{t("Not a word was changed.")}</p>;
  return (
    <>
      <p className="diff-sum">
        <ins>{t("{{count, number}} words added", { count: added })}</ins>,{" "}
        <del>{t("{{count, number}} words taken out", { count: removed })}</del>
      </p>
      <p className="diff">
        {parts.map((part, at) => {
          const Tag = part.added ? "ins" : part.removed ? "del" : "span";
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one comparison never move
          return <Tag key={at}>{part.value}</Tag>;
        })}
      </p>
    </>
  );
}
