import { type KeyboardEvent, lazy, Suspense, useLayoutEffect, useRef, useState } from "react";
import { asProblem } from "../../api/problem";
import { useConversations, usePinned } from "../../api/queries";
import type { ConversationSummary } from "../../api/types";
import { msg, t } from "../../i18n";
import { isForInputMethod } from "../../ui/composing";
import { dayGroup, when } from "../../ui/format";
import { ListHead } from "../../ui/list-head";
import { useDay } from "../../ui/media";
import { orMissing } from "../../ui/part";
import { ReadFailed } from "../../ui/read-failed";
import { toast } from "../../ui/toast";
import { useDrop } from "../folders/drag";
import { useFiling } from "../folders/filing";
import { useShownFolders } from "../folders/shown";
import { Choice } from "./choice";
import { type Choosing, useChoosing } from "./choosing";
import { Entry } from "./entry";
import type { EntryActs } from "./entry-menu";
import { titleOf } from "./title";

const ChoosingBar = lazy(() => orMissing(import("./choosing-bar")));

const none: readonly ConversationSummary[] = [];

function byDay(items: readonly ConversationSummary[]): [string, readonly ConversationSummary[]][] {
  const now = new Date();
  const groups = new Map<string, ConversationSummary[]>();
  for (const item of items) {
    // A server of the version before does not say when it was asked in.
    const day = dayGroup(when(item.asked_at ?? item.updated_at), now);
    groups.set(day, [...(groups.get(day) ?? []), item]);
  }
  return [...groups];
}

/** Lines where titles will be: the list does not jump when they come. */
export function ListSkeleton() {
  return (
    <div className="skeleton-list">
      <p className="visually-hidden">{t("Loading conversations…")}</p>
      {["a", "b", "c", "d", "e", "f"].map((line) => (
        <span key={line} className="skeleton" />
      ))}
    </div>
  );
}

/**
 * Pins and unpins. The entry is drawn anew in another part of the list: if it had the focus it has it there, and
 * what has happened is said to whoever does not see it. `shown` are the pinned ones, where the list has a part for them.
 */
function usePinning(shown: readonly ConversationSummary[] | null) {
  const moving = useRef<{ id: string; pinned: boolean } | null>(null);
  const status = useRef<HTMLParagraphElement>(null);
  const [said, setSaid] = useState("");
  useLayoutEffect(() => {
    const to = moving.current;
    if (!to || to.pinned !== shown?.some((item) => item.id === to.id)) return;
    moving.current = null;
    if (document.activeElement !== document.body) return;
    const find = (what: string) =>
      status.current?.parentElement?.querySelector<HTMLElement>(`.entry > ${what}`);
    // An old one may be further down than what is loaded.
    (find(`[href="/c/${to.id}"] ~ .entry-actions button`) ?? find("a"))?.focus();
  }, [shown]);
  const change: EntryActs["onPin"] = async (item, by) => {
    const pinned = !item.pinned;
    if (shown) moving.current = { id: item.id, pinned };
    if (!(await by(item, pinned))) {
      moving.current = null;
      return;
    }
    const done = pinned ? msg("“{{title}}” was pinned.") : msg("“{{title}}” is no longer pinned.");
    const text = t(done, { title: titleOf(item) });
    // Where pinned ones have no place of their own, the list shows no change.
    if (shown) setSaid(text);
    else toast(text);
  };
  return {
    change,
    status: (
      <p ref={status} className="visually-hidden" role="status">
        {said}
      </p>
    ),
  };
}

/** Shift with an arrow chooses what it passes, Control or Command with A all that is shown. */
function chooseByKey(event: KeyboardEvent<HTMLElement>, { chosen, set }: Choosing) {
  const { target, key, shiftKey, ctrlKey, metaKey } = event;
  if (!(target instanceof HTMLInputElement) || target.type !== "checkbox") return;
  const boxes = [
    ...event.currentTarget.querySelectorAll<HTMLInputElement>(".entry-choice > input"),
  ];
  const step = { ArrowDown: 1, ArrowUp: -1 }[key];
  if (key === "a" && (ctrlKey || metaKey)) {
    event.preventDefault();
    set(boxes.map(({ value }) => value));
  } else if (shiftKey && step) {
    const next = boxes[boxes.indexOf(target) + step];
    if (next) set([...chosen.map(({ id }) => id), target.value, next.value]);
  }
}

interface Props {
  tag: string | null;
  archived: boolean;
  onOpen: () => void;
}

export function ConversationList({ tag, archived, onOpen }: Props) {
  const list = useConversations(tag, archived);
  // Its headings go by it.
  useDay();
  const isPlain = tag === null && !archived;
  const top = usePinned(isPlain);
  const pinned = isPlain ? (top.data ?? none) : null;
  const pinning = usePinning(pinned);
  const { folders, Part: Folders, ...filed } = useShownFolders(isPlain);
  const seen = new Map(list.data?.pages.flatMap((page) => page.items.map((i) => [i.id, i])));
  for (const { id } of pinned ?? none) seen.delete(id);
  const days = byDay([...seen.values()]);
  const shown = [
    ...(pinned ?? none),
    ...folders.flatMap((folder) => folder.items ?? none),
    ...days.flatMap(([, those]) => those),
  ];
  // What is pinned and in an open folder stands in both.
  const items = [...new Map(shown.map((item) => [item.id, item])).values()];
  const { begin, choosing } = useChoosing(items);
  const place = useRef<HTMLDivElement>(null);
  const filing = useFiling(place);
  const outside = useDrop(
    (item) => Boolean(item.folder_id),
    (item) => filing.drop(item, null),
  );
  const isChoosing = choosing !== null;
  const wasChoosing = useRef(false);
  useLayoutEffect(() => {
    if (wasChoosing.current === isChoosing) return;
    wasChoosing.current = isChoosing;
    // What had the focus is gone; so may be all that was in the list.
    if (document.activeElement !== document.body) return;
    const first = isChoosing ? ".entry-choice > input" : ".select-button";
    (place.current?.querySelector<HTMLElement>(first) ?? place.current)?.focus();
  }, [isChoosing]);
  // Drawn later, the pinned ones and the folders would push the others down.
  if (list.isPending || (isPlain && !top.isFetched) || !filed.isReady) return <ListSkeleton />;
  if (list.isError && !list.data) {
    return (
      <div className="quiet">
        <p>{asProblem(list.error).message}</p>
        <button type="button" className="quiet-button" onClick={() => list.refetch()}>
          {t("Try again")}
        </button>
      </div>
    );
  }
  const draw = (item: ConversationSummary) =>
    choosing ? (
      <Choice key={item.id} item={item} choosing={choosing} />
    ) : (
      <Entry key={item.id} item={item} onOpen={onOpen} onPin={pinning.change} onFile={filing.ask} />
    );
  let select = !choosing && items.length > 1 && (
    <button type="button" className="select-button quiet-button" onClick={begin}>
      {t("Select")}
    </button>
  );
  const part = (name: string, those: readonly ConversationSummary[]) => {
    // In the line of the first of these headings.
    const inLine = select;
    select = false;
    return (
      <section key={name} aria-label={name}>
        <div className={inLine ? "day day-head" : "day"}>
          <h2>{name}</h2>
          {inLine}
        </div>
        <ul>{those.map(draw)}</ul>
      </section>
    );
  };
  const isPinnedPart = pinned !== null && pinned.length > 0;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: what is in it has the focus
    <div
      ref={place}
      tabIndex={-1}
      onKeyDown={(event) => {
        if (!choosing || isForInputMethod(event.nativeEvent)) return;
        if (event.key === "Escape") {
          // Leaves the choosing only, not the drawer around it.
          event.preventDefault();
          event.stopPropagation();
          choosing.leave();
        } else {
          chooseByKey(event, choosing);
        }
      }}
    >
      {items.length === 0 && folders.length === 0 && !filed.failed && (
        <p className="quiet">
          {archived
            ? t(
                "Nothing is archived. Archived conversations leave the list, and can still be found and read.",
              )
            : t("Your conversations will be listed here.")}
        </p>
      )}
      {choosing && (
        <Suspense fallback={null}>
          <ChoosingBar items={items} choosing={choosing} archived={archived} />
        </Suspense>
      )}
      {isPinnedPart ? part(t("Pinned"), pinned) : days.length === 0 && select}
      {filed.failed && (
        <ReadFailed text={msg("Folders could not be loaded: {{reason}}")} query={filed.failed} />
      )}
      {folders.length > 0 && Folders ? (
        <Folders
          folders={folders}
          draw={draw}
          above={(choosing && pinned) || none}
          onDrop={filing.drop}
        />
      ) : (
        isPlain &&
        items.length > 0 && (
          <section aria-label={t("Folders")}>
            <ListHead name={t("Folders")} add={t("New folder")} onAdd={() => filing.ask()} />
          </section>
        )
      )}
      <div className={outside.isOver ? "drop-here" : undefined} {...outside.place}>
        {days.map(([day, those]) => part(day, those))}
      </div>
      {list.hasNextPage && (
        <button
          type="button"
          className="quiet-button"
          aria-disabled={list.isFetchingNextPage}
          onClick={() => list.isFetchingNextPage || list.fetchNextPage()}
        >
          {list.isFetchingNextPage ? t("Loading…") : t("Older conversations")}
        </button>
      )}
      {pinning.status}
      {filing.dialog}
    </div>
  );
}
