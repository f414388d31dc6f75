import "../../styles/citing.css";
import type { ReactNode } from "react";
import type { FoundSource } from "../../api/types";
import { Snippet, SourceFacts, SourceTitle } from "./facts";

interface Props {
  sources: readonly FoundSource[];
  /** What the ids of the entries begin with, where this is the list that numbers lead to. */
  ids?: string;
  /** All that is known of what each says, and not only its beginning. */
  whole?: boolean;
  /** What more there is to say of one. */
  more?: (source: FoundSource) => ReactNode;
}

/** Sources under their numbers: title, host, date and a few words of each. Nothing of them is fetched. */
export function SourceList({ sources, ids, whole = false, more }: Props) {
  return (
    <ol className={whole ? "sources sources-whole" : "sources"}>
      {sources.map((source) => (
        <li key={source.n} id={ids && `${ids}-${source.n}`} value={source.n} className="source">
          <span className="source-number" aria-hidden="true">
            {source.n}
          </span>
          <div className="source-body">
            <SourceTitle source={source} />
            <SourceFacts source={source} />
            <Snippet source={source} />
            {more?.(source)}
          </div>
        </li>
      ))}
    </ol>
  );
}
