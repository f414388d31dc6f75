import { useEffect, useRef, useState } from "react";
import { Link, useLocation } from "wouter";
import { api } from "../../api/client";
import { asProblem } from "../../api/problem";
import {
  keys,
  queryClient,
  refreshConversations,
  useConversations,
  useSearch,
  useUser,
} from "../../api/queries";
import type { ConversationSummary } from "../../api/types";
import { useLiveRuns } from "../../run/live";
import { isLive } from "../../run/state";
import { dayGroup, when } from "../../ui/format";
import { Icon } from "../../ui/icon";
import { ThemeButton } from "../../ui/theme";
import { toast } from "../../ui/toast";

const complain = (what: string) => (error: unknown) =>
  toast(`${what}: ${asProblem(error).message}`, { tone: "bad" });

function useDelete() {
  const [location, go] = useLocation();
  return async (item: ConversationSummary) => {
    try {
      await api.remove(item.id);
    } catch (error) {
      return complain("Not deleted")(error);
    }
    const wasOpen = location === `/c/${item.id}`;
    if (wasOpen) go("/");
    await refreshConversations();
    toast(`“${item.title}” was deleted.`, {
      action: {
        label: "Undo",
        run: () => {
          api.restore(item.id).then(() => {
            queryClient.removeQueries({ queryKey: keys.conversation(item.id) });
            refreshConversations();
            if (wasOpen) go(`/c/${item.id}`);
          }, complain("Not restored"));
        },
      },
    });
  };
}

function RenameBox({ item, onDone }: { item: ConversationSummary; onDone: () => void }) {
  const [title, setTitle] = useState(item.title);
  const box = useRef<HTMLInputElement>(null);
  const left = useRef(false);
  useEffect(() => box.current?.select(), []);
  const leave = async (keep: boolean) => {
    if (left.current) return;
    left.current = true;
    const next = title.trim();
    if (keep && next && next !== item.title) {
      try {
        await api.rename(item.id, next);
        await refreshConversations();
        queryClient.invalidateQueries({ queryKey: keys.conversation(item.id) });
      } catch (error) {
        complain("Not renamed")(error);
      }
    }
    onDone();
  };
  return (
    <input
      ref={box}
      className="rename"
      aria-label={`New title for ${item.title}`}
      value={title}
      maxLength={200}
      onChange={(event) => setTitle(event.target.value)}
      onBlur={() => leave(true)}
      onKeyDown={(event) => {
        if (event.key === "Enter") leave(true);
        if (event.key === "Escape") {
          // Leaves the box only, not the drawer around it.
          event.preventDefault();
          event.stopPropagation();
          leave(false);
        }
      }}
    />
  );
}

function Entry({ item, onOpen }: { item: ConversationSummary; onOpen: () => void }) {
  const [location] = useLocation();
  const [renaming, setRenaming] = useState(false);
  const live = useLiveRuns((state) => {
    const run = state.runs[item.id]?.run;
    return run ? isLive(run) : false;
  });
  const remove = useDelete();
  const isOpen = location === `/c/${item.id}`;
  if (renaming) {
    return (
      <li className="entry">
        <RenameBox item={item} onDone={() => setRenaming(false)} />
      </li>
    );
  }
  return (
    <li className={isOpen ? "entry entry-open" : "entry"}>
      <Link href={`/c/${item.id}`} aria-current={isOpen ? "page" : undefined} onClick={onOpen}>
        {(live || item.running) && <span className="running-dot" role="img" aria-label="running" />}
        <span className="entry-title">{item.title}</span>
      </Link>
      <span className="entry-actions">
        <button
          type="button"
          className="icon-button"
          aria-label={`Rename ${item.title}`}
          onClick={() => setRenaming(true)}
        >
          <Icon name="pencil" />
        </button>
        <button
          type="button"
          className="icon-button"
          aria-label={`Delete ${item.title}`}
          onClick={() => remove(item)}
        >
          <Icon name="trash" />
        </button>
      </span>
    </li>
  );
}

function byDay(items: readonly ConversationSummary[]): [string, ConversationSummary[]][] {
  const now = new Date();
  const groups = new Map<string, ConversationSummary[]>();
  for (const item of items) {
    const day = dayGroup(when(item.updated_at), now);
    groups.set(day, [...(groups.get(day) ?? []), item]);
  }
  return [...groups];
}

function ConversationList({ onOpen }: { onOpen: () => void }) {
  const list = useConversations();
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
      </div>
      <nav className="sidebar-list" aria-label="Conversations">
        {settled ? (
          <SearchResults query={settled} onOpen={onOpen} />
        ) : (
          <ConversationList onOpen={onOpen} />
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
