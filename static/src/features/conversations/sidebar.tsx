import { type KeyboardEvent, lazy, Suspense, useState } from "react";
import { Link, useLocation } from "wouter";
import { useConfig, useTags, useUser } from "../../api/queries";
import { t } from "../../i18n";
import { T } from "../../i18n/t";
import { isForInputMethod } from "../../ui/composing";
import { focusSoon } from "../../ui/focus";
import { Icon, type IconName } from "../../ui/icon";
import { orMissing } from "../../ui/part";
import { foldSidebar } from "../../ui/sidebar-state";
import { ThemeButton } from "../../ui/theme";
import { useSettled } from "../composer/settled";
import { SidebarProjects } from "../projects/sidebar-projects";
import { showHelp } from "../shortcuts/help";
import { ConversationList, ListSkeleton } from "./list";
import { tagText } from "./tag-text";

const Hits = lazy(() => orMissing(import("./hits")));

/** Where the keys go: titles, or their check boxes while several are chosen, and folders. */
const entries =
  ".sidebar-list .entry > a, .sidebar-list .entry-choice > input, .sidebar-list .folder-toggle";

/** Up and down through the titles; from the first one back into the search box. */
function moveInList(event: KeyboardEvent<HTMLElement>) {
  if (isForInputMethod(event.nativeEvent)) return;
  const links = [...event.currentTarget.querySelectorAll<HTMLElement>(entries)];
  const box = event.currentTarget.querySelector<HTMLElement>(".search-all input");
  const { activeElement } = document;
  const inBox = activeElement === box;
  const at = links.findIndex((link) => link.parentElement?.contains(activeElement));
  if (at < 0 && !inBox) return;
  const keys: Record<string, number> = { ArrowDown: at + 1, ArrowUp: at - 1 };
  if (!inBox) Object.assign(keys, { Home: 0, End: links.length - 1 });
  const next = keys[event.key];
  if (next === undefined || (inBox && event.key === "ArrowUp")) return;
  event.preventDefault();
  if (next < 0) box?.focus();
  else links[Math.min(next, links.length - 1)]?.focus();
}

interface PlaceProps {
  href: string;
  icon: IconName;
  name: string;
  onOpen: () => void;
}

function Place({ href, icon, name, onOpen }: PlaceProps) {
  const [path] = useLocation();
  return (
    <Link
      href={href}
      className="sidebar-place"
      aria-current={path.startsWith(href) ? "page" : undefined}
      onClick={onOpen}
    >
      <Icon name={icon} />
      {name}
    </Link>
  );
}

export function Sidebar({ onOpen }: { onOpen: () => void }) {
  const [query, setQuery] = useState("");
  const settled = useSettled(query.trim(), 250, "");
  const tags = useTags().data?.tags ?? [];
  const [chosen, setChosen] = useState<string | null>(null);
  // The last conversation with this tag may have lost it.
  const tag = chosen !== null && tags.includes(chosen) ? chosen : null;
  const [archived, setArchived] = useState(false);
  /** The way there and the way back take turns. */
  const showArchived = (shown: boolean) => {
    setArchived(shown);
    focusSoon(shown ? ".archived-head button" : ".sidebar-places button");
  };
  const user = useUser();
  const features = useConfig().data?.features;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: what is in it has the focus
    <div className="sidebar-body" onKeyDown={moveInList}>
      <div className="sidebar-top">
        <div className="sidebar-head">
          <Link href="/" className="brand" onClick={onOpen}>
            <img src="/favicon.svg" alt="" width="26" height="26" />
            LLM Council
          </Link>
          <button
            type="button"
            className="icon-button fold-button"
            aria-label={t("Hide the sidebar")}
            title={t("Hide the sidebar")}
            onClick={() => {
              foldSidebar(true);
              focusSoon(".rail button");
            }}
          >
            <Icon name="panel" />
          </button>
        </div>
        <Link href="/" className="new-button" onClick={onOpen}>
          <Icon name="plus" />
          {t("New conversation")}
        </Link>
        <label className="search search-all">
          <Icon name="search" />
          <input
            type="search"
            placeholder={t("Search")}
            aria-label={t("Search conversations")}
            value={query}
            onChange={(event) => setQuery(event.target.value)}
            onKeyDown={(event) => {
              if (event.key !== "Escape" || query === "") return;
              // The drawer around it stays.
              event.stopPropagation();
              if (isForInputMethod(event.nativeEvent)) return;
              // Empties the box only.
              event.preventDefault();
              setQuery("");
            }}
          />
        </label>
        {tags.length > 0 && !settled && !archived && (
          <ul className="tag-filter" aria-label={t("Show only")}>
            {tags.map((name) => (
              <li key={name}>
                <button
                  type="button"
                  className="chip"
                  aria-pressed={name === tag}
                  onClick={() => setChosen(name === tag ? null : name)}
                >
                  {tagText(name)}
                </button>
              </li>
            ))}
          </ul>
        )}
      </div>
      {archived && !settled && (
        <h2 className="archived-head">
          <button type="button" className="quiet-button" onClick={() => showArchived(false)}>
            <Icon name="chevron" />
            <T
              text="<hidden>Back from </hidden>Archived"
              parts={{ hidden: (inner) => <span className="visually-hidden">{inner}</span> }}
            />
          </button>
        </h2>
      )}
      <nav className="sidebar-list" aria-label={t("Conversations")}>
        {!settled && !archived && tag === null && <SidebarProjects onOpen={onOpen} />}
        {settled ? (
          <Suspense fallback={<ListSkeleton />}>
            <Hits query={settled} onOpen={onOpen} />
          </Suspense>
        ) : (
          <ConversationList
            key={`${archived} ${tag}`}
            tag={archived ? null : tag}
            archived={archived}
            onOpen={onOpen}
          />
        )}
      </nav>
      <div className="sidebar-places">
        {!archived && !settled && (
          <button type="button" className="sidebar-place" onClick={() => showArchived(true)}>
            <Icon name="archive" />
            {t("Archived")}
          </button>
        )}
        {archived && !settled && (
          <Place href="/deleted" icon="trash" name={t("Deleted conversations")} onOpen={onOpen} />
        )}
        {features?.schedules && (
          <Place href="/schedules" icon="clock" name={t("Scheduled questions")} onOpen={onOpen} />
        )}
        <Place href="/library" icon="book" name={t("Library")} onOpen={onOpen} />
        <Place href="/dashboard" icon="chart" name={t("Dashboard")} onOpen={onOpen} />
        {user.data?.is_admin && (
          <Place href="/admin" icon="shield" name={t("Administration")} onOpen={onOpen} />
        )}
        <Place href="/settings" icon="settings" name={t("Settings")} onOpen={onOpen} />
      </div>
      <div className="sidebar-foot">
        <span className="who">
          {user.data?.mode === "proxy" ? (user.data.display_name ?? user.data.username) : ""}
        </span>
        <button
          type="button"
          className="icon-button keys-button"
          aria-label={t("Keyboard shortcuts")}
          title={t("Keyboard shortcuts")}
          onClick={() => showHelp(true)}
        >
          <Icon name="keyboard" />
        </button>
        <ThemeButton />
      </div>
    </div>
  );
}
