import { useMemo } from "react";
import { Link } from "wouter";
import { asProblem } from "../../api/problem";
import { useSearch } from "../../api/search";
import { t } from "../../i18n";
import { count } from "../../ui/format";
import { MoreButton } from "../../ui/more-button";
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
  if (found.isError && !found.data) {
    return <p className="quiet">{asProblem(found.error).message}</p>;
  }
  const pages = found.data?.pages ?? [];
  // One that moved on while the next page was read is in both.
  const hits = new Map(
    pages.flatMap((page) => page.items.map((hit) => [hit.conversation_id, hit])),
  );
  const all = pages.at(-1)?.total ?? 0;
  if (hits.size === 0) {
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
        {t("{{count, number}} conversations found", { count: all })}
      </p>
      <ul className="hits">
        {[...hits.values()].map((hit) => (
          <li key={hit.conversation_id} className="entry">
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
      {(found.hasNextPage || pages.length > 1) && (
        <p className="quiet" role="status">
          {t("{{shown}} of {{all}}", { shown: count(hits.size), all: count(all) })}
        </p>
      )}
      <MoreButton list={found} label={t("Show more")} className="quiet-button" />
    </>
  );
}
