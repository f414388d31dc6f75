import { lazy, type ReactNode, useEffect, useRef, useState } from "react";
import { Link, useLocation } from "wouter";
import type { ConversationSummary } from "../../api/types";
import { t } from "../../i18n";
import { isLive } from "../../run/state";
import { Icon } from "../../ui/icon";
import { MenuButton } from "../../ui/menu";
import { orMissing } from "../../ui/part";
import { useLiveRuns } from "../asking/runs";
import { draggable } from "../folders/drag";
import type { EntryActs } from "./entry-menu";
import { EntryTags } from "./entry-tags";
import { RenameBox } from "./rename-box";
import { useShownTitle } from "./title";

const EntryMenu = lazy(() => orMissing(import("./entry-menu")));

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
