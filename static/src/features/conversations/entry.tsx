import { useEffect, useRef, useState } from "react";
import { Link, useLocation } from "wouter";
import { api } from "../../api/client";
import { asProblem } from "../../api/problem";
import { keys, queryClient, refreshConversations } from "../../api/queries";
import type { ConversationSummary } from "../../api/types";
import { useLiveRuns } from "../../run/live";
import { isLive } from "../../run/state";
import { Icon } from "../../ui/icon";
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

/** A conversation in the list: opens, is renamed in place, is deleted with a way back. */
export function Entry({ item, onOpen }: { item: ConversationSummary; onOpen: () => void }) {
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
