import { lazy, type ReactNode, useEffect, useRef, useState } from "react";
import { Link, useLocation } from "wouter";
import { api } from "../../api/client";
import { keys, queryClient, refreshConversations } from "../../api/queries";
import type { ConversationSummary } from "../../api/types";
import { msg, t } from "../../i18n";
import { isLive } from "../../run/state";
import { complain } from "../../ui/complain";
import { Icon } from "../../ui/icon";
import { MenuButton } from "../../ui/menu";
import { orMissing } from "../../ui/part";
import { useLiveRuns } from "../asking/runs";
import { draggable } from "../folders/drag";
import type { EntryActs } from "./entry-menu";
import { EntryTags } from "./entry-tags";
import { titleOf, useShownTitle } from "./title";

const EntryMenu = lazy(() => orMissing(import("./entry-menu")));

function RenameBox({ item, onDone }: { item: ConversationSummary; onDone: () => void }) {
  const [title, setTitle] = useState(item.title_is_default ? "" : item.title);
  const box = useRef<HTMLInputElement>(null);
  const left = useRef(false);
  useEffect(() => {
    box.current?.focus();
    box.current?.select();
  }, []);
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
        complain(msg("Not renamed: {{message}}"))(error);
      }
    }
    onDone();
  };
  return (
    <input
      ref={box}
      className="rename"
      aria-label={t("New title for {{title}}", { title: titleOf(item) })}
      value={title}
      maxLength={200}
      onChange={(event) => setTitle(event.target.value)}
      onBlur={() => leave(true)}
      onKeyDown={(event) => {
        // The list around it moves by these.
        event.stopPropagation();
        if (event.key === "Enter" && !event.nativeEvent.isComposing) leave(true);
        if (event.key === "Escape" && !event.nativeEvent.isComposing) {
          // Leaves the box only, not the drawer around it.
          event.preventDefault();
          leave(false);
        }
      }}
    />
  );
}

interface Props extends Pick<EntryActs, "onPin" | "onFile"> {
  item: ConversationSummary;
  onOpen: () => void;
}

/** A conversation in the list: opens, is renamed in place, is put aside or deleted with a way back. */
export function Entry({ item, onOpen, onPin, onFile }: Props) {
  const [location] = useLocation();
  const [renaming, setRenaming] = useState(false);
  const [dialog, setDialog] = useState<ReactNode>(null);
  const place = useRef<HTMLLIElement>(null);
  const live = useLiveRuns((state) => {
    const run = state.runs[item.id]?.run;
    return run ? isLive(run) : false;
  });
  const title = useShownTitle(item);
  const isOpen = location === `/c/${item.id}`;
  const wasRenaming = useRef(false);
  useEffect(() => {
    // Unless the box was left for somewhere else, keys go on from here.
    if (wasRenaming.current && !renaming && document.activeElement === document.body) {
      place.current?.querySelector("a")?.focus();
    }
    wasRenaming.current = renaming;
  }, [renaming]);
  if (renaming) {
    return (
      <li ref={place} className="entry">
        <RenameBox item={item} onDone={() => setRenaming(false)} />
      </li>
    );
  }
  return (
    <li ref={place} className={isOpen ? "entry entry-open" : "entry"} {...draggable(item)}>
      <Link
        href={`/c/${item.id}`}
        aria-current={isOpen ? "page" : undefined}
        title={title}
        onClick={onOpen}
        onKeyDown={(event) => {
          if (event.key === "F2") setRenaming(true);
        }}
      >
        {(live || item.running) && (
          <span className="running-dot" role="img" aria-label={t("running")} />
        )}
        <span dir="auto" className="entry-title">
          {title}
        </span>
        <EntryTags tags={item.tags} />
      </Link>
      <span className="entry-actions">
        <MenuButton
          className="icon-button"
          label={t("More for {{title}}", { title })}
          list={(at) => (
            <EntryMenu
              at={at}
              item={item}
              place={place}
              onRename={() => setRenaming(true)}
              onPin={onPin}
              onFile={onFile}
              onDialog={setDialog}
            />
          )}
        >
          <Icon name="more" />
        </MenuButton>
      </span>
      {dialog}
    </li>
  );
}
