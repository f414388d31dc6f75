import type { UseInfiniteQueryResult } from "@tanstack/react-query";
import { t } from "../../i18n";

/** How much of a list is shown, and the way to the rest. */
export function More({
  list,
  shown,
  label,
}: {
  list: Pick<UseInfiniteQueryResult, "hasNextPage" | "isFetchingNextPage" | "fetchNextPage">;
  /** How much that is, and whether it is all there is. */
  shown: string;
  label: string;
}) {
  const busy = list.isFetchingNextPage;
  return (
    <p className="more">
      <span className="quiet" role="status">
        {shown}
      </span>
      {list.hasNextPage && (
        <button
          type="button"
          className="button"
          disabled={busy}
          onClick={() => list.fetchNextPage()}
        >
          {busy ? t("Loading…") : label}
        </button>
      )}
    </p>
  );
}
