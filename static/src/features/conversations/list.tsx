import { asProblem } from "../../api/problem";
import { useConversations } from "../../api/queries";
import type { ConversationSummary } from "../../api/types";
import { t } from "../../i18n";
import { dayGroup, when } from "../../ui/format";
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

interface Props {
  tag: string | null;
  archived: boolean;
  onOpen: () => void;
}

export function ConversationList({ tag, archived, onOpen }: Props) {
  const list = useConversations(tag, archived);
  if (list.isPending) return <ListSkeleton />;
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
  const seen = new Map(list.data.pages.flatMap((page) => page.items.map((i) => [i.id, i])));
  if (seen.size === 0) {
    return (
      <p className="quiet">
        {archived
          ? t(
              "Nothing is archived. Archived conversations leave the list, and can still be found and read.",
            )
          : t("Your conversations will be listed here.")}
      </p>
    );
  }
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
          {list.isFetchingNextPage ? t("Loading…") : t("Older conversations")}
        </button>
      )}
    </>
  );
}
