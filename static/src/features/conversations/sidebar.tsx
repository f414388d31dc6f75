import { useEffect, useState } from "react";
import { Link } from "wouter";
import { asProblem } from "../../api/problem";
import { useConversations, useSearch, useTags, useUser } from "../../api/queries";
import type { ConversationSummary } from "../../api/types";
import { dayGroup, when } from "../../ui/format";
import { Icon } from "../../ui/icon";
import { ThemeButton } from "../../ui/theme";
import { Entry } from "./entry";

function byDay(items: readonly ConversationSummary[]): [string, ConversationSummary[]][] {
  const now = new Date();
  const groups = new Map<string, ConversationSummary[]>();
  for (const item of items) {
    const day = dayGroup(when(item.updated_at), now);
    groups.set(day, [...(groups.get(day) ?? []), item]);
  }
  return [...groups];
}

function ConversationList({ tag, onOpen }: { tag: string | null; onOpen: () => void }) {
  const list = useConversations(tag);
  if (list.isPending) return <p className="quiet">Loading conversations…</p>;
  if (list.isError && !list.data) {
    return (
      <div className="quiet">
        <p>{asProblem(list.error).message}</p>
        <button type="button" className="quiet-button" onClick={() => list.refetch()}>
          Try again
        </button>
      </div>
    );
  }
  const seen = new Map(list.data.pages.flatMap((page) => page.items.map((i) => [i.id, i])));
  if (seen.size === 0) return <p className="quiet">Your conversations will be listed here.</p>;
  return (
    <>
      {byDay([...seen.values()]).map(([day, items]) => (
        <section key={day} aria-label={day}>
          <h2 className="day">{day}</h2>
          <ul>
            {items.map((item) => (
              <Entry key={item.id} item={item} onOpen={onOpen} />
            ))}
          </ul>
        </section>
      ))}
      {list.hasNextPage && (
        <button
          type="button"
          className="quiet-button"
          disabled={list.isFetchingNextPage}
          onClick={() => list.fetchNextPage()}
        >
          {list.isFetchingNextPage ? "Loading…" : "Older conversations"}
        </button>
      )}
    </>
  );
}

function SearchResults({ query, onOpen }: { query: string; onOpen: () => void }) {
  const found = useSearch(query);
  if (found.isPending) return <p className="quiet">Searching…</p>;
  if (found.isError) return <p className="quiet">{asProblem(found.error).message}</p>;
  if (found.data.length === 0) return <p className="quiet">Nothing found for “{query}”.</p>;
  return (
    <ul className="hits">
      {found.data.map((hit, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: one conversation may be found twice
        <li key={`${hit.conversation_id}-${at}`} className="entry">
          <Link href={`/c/${hit.conversation_id}`} onClick={onOpen}>
            <span className="entry-title">{hit.title}</span>
            <span className="entry-snippet">{hit.snippet}</span>
          </Link>
        </li>
      ))}
    </ul>
  );
}

/** A value that follows another after it has rested for a moment. */
function useSettled(value: string, ms: number): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return settled;
}

export function Sidebar({ onOpen }: { onOpen: () => void }) {
  const [query, setQuery] = useState("");
  const settled = useSettled(query.trim(), 250);
  const tags = useTags().data?.tags ?? [];
  const [chosen, setChosen] = useState<string | null>(null);
  // The last conversation with this tag may have lost it.
  const tag = chosen !== null && tags.includes(chosen) ? chosen : null;
  const user = useUser();
  return (
    <>
      <div className="sidebar-top">
        <Link href="/" className="brand" onClick={onOpen}>
          <img src="/favicon.svg" alt="" width="26" height="26" />
          LLM Council
        </Link>
        <Link href="/" className="new-button" onClick={onOpen}>
          <Icon name="plus" />
          New conversation
        </Link>
        <label className="search">
          <Icon name="search" />
          <input
            type="search"
            placeholder="Search"
            aria-label="Search conversations"
            value={query}
            onChange={(event) => setQuery(event.target.value)}
          />
        </label>
        {tags.length > 0 && (
          <ul className="tag-filter" aria-label="Show only">
            {tags.map((name) => (
              <li key={name}>
                <button
                  type="button"
                  className="chip"
                  aria-pressed={name === tag}
                  onClick={() => setChosen(name === tag ? null : name)}
                >
                  {name}
                </button>
              </li>
            ))}
          </ul>
        )}
      </div>
      <nav className="sidebar-list" aria-label="Conversations">
        {settled ? (
          <SearchResults query={settled} onOpen={onOpen} />
        ) : (
          <ConversationList tag={tag} onOpen={onOpen} />
        )}
      </nav>
      <div className="sidebar-foot">
        <span className="who">
          {user.data?.mode === "proxy" ? (user.data.display_name ?? user.data.username) : ""}
        </span>
        <ThemeButton />
        <Link href="/settings" className="icon-button" aria-label="Settings" onClick={onOpen}>
          <Icon name="settings" />
        </Link>
      </div>
    </>
  );
}
