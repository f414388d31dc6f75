import type { UseInfiniteQueryResult } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
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
  const place = useRef<HTMLSpanElement>(null);
  const pressed = useRef(false);
  // With the last of the list the button goes, and its focus with it.
  useEffect(() => {
    if (list.hasNextPage || !pressed.current) return;
    pressed.current = false;
    if (document.activeElement === document.body) place.current?.focus({ preventScroll: true });
  }, [list.hasNextPage]);
  return (
    <p className="more">
      <span ref={place} className="quiet" role="status" tabIndex={-1}>
        {shown}
      </span>
      {list.hasNextPage && (
        <button
          type="button"
          className="button"
          aria-disabled={busy}
          onClick={() => {
            if (busy) return;
            pressed.current = true;
            list.fetchNextPage();
          }}
        >
          {busy ? t("Loading…") : label}
        </button>
      )}
    </p>
  );
}
