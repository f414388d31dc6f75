import type { UseInfiniteQueryResult } from "@tanstack/react-query";
import { t } from "../../i18n";

/** The way to the links that are not shown yet. */
export function ShowMore({
  list,
}: {
  list: Pick<UseInfiniteQueryResult, "hasNextPage" | "isFetchingNextPage" | "fetchNextPage">;
}) {
  if (!list.hasNextPage) return null;
  return (
    <button
      type="button"
      className="button share-more"
      disabled={list.isFetchingNextPage}
      onClick={() => list.fetchNextPage()}
    >
      {list.isFetchingNextPage ? t("Loading…") : t("Show more")}
    </button>
  );
}
