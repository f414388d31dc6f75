import { useMemo } from "react";
import { Link } from "wouter";
import { asProblem } from "../../api/problem";
import { useSearch } from "../../api/queries";
import { t } from "../../i18n";
import type { Find } from "./find";
import { ListSkeleton } from "./list";
import { plain } from "./plain";
import { titleOf } from "./title";
import { fromFind, pieces, wordsOf } from "./words";

function Marked({ text, words }: { text: string; words: readonly string[] }) {
  return pieces(text, words).map((piece, at) =>
    piece.found ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of one text never move
      <mark key={at}>{piece.text}</mark>
    ) : (
      piece.text
    ),
  );
}

/** What a search found, the words marked; a hit opens at the message that holds them. */
export default function Hits({ query, onOpen }: { query: string; onOpen: () => void }) {
  const found = useSearch(query);
  const words = useMemo(() => wordsOf(query), [query]);
  if (found.isPending) return <ListSkeleton />;
  if (found.isError) return <p className="quiet">{asProblem(found.error).message}</p>;
  if (found.data.length === 0) {
    return (
      <p className="quiet" role="status">
        {t(
          "Nothing found for “{{query}}”. The search looks for words that begin with what you type, in titles, questions and answers.",
          { query },
        )}
      </p>
    );
  }
  return (
    <>
      <p className="visually-hidden" role="status">
        {t("{{count, number}} conversations found", { count: found.data.length })}
      </p>
      <ul className="hits">
        {found.data.map((hit, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: one conversation may be found twice
          <li key={`${hit.conversation_id}-${at}`} className="entry">
            <Link
              href={`/c/${hit.conversation_id}`}
              state={
                {
                  words,
                  snippet: hit.snippet,
                  messageId: hit.message_id ?? undefined,
                } satisfies Find
              }
              onClick={onOpen}
            >
              <span dir="auto" className="entry-title">
                <Marked text={titleOf(hit)} words={words} />
              </span>
              {hit.snippet !== hit.title && (
                <span dir="auto" className="entry-snippet">
                  <Marked text={fromFind(plain(hit.snippet), words)} words={words} />
                </span>
              )}
            </Link>
          </li>
        ))}
      </ul>
    </>
  );
}
