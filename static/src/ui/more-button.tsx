import type { UseInfiniteQueryResult } from "@tanstack/react-query";
import { useLayoutEffect, useRef } from "react";
import { t } from "../i18n";

export type MoreOf = Pick<
  UseInfiniteQueryResult,
  "hasNextPage" | "isFetchingNextPage" | "fetchNextPage"
>;

interface Props {
  list: MoreOf;
  label: string;
  className?: string;
}

/** Fetches more of a list, and goes once all is there: the keys then go on from its place. */
export function MoreButton({ list, label, className = "button" }: Props) {
  const { hasNextPage: isMore, isFetchingNextPage: busy } = list;
  const end = useRef<HTMLSpanElement>(null);
  const was = useRef(isMore);
  useLayoutEffect(() => {
    const isGone = was.current && !isMore;
    was.current = isMore;
    if (isGone && document.activeElement === document.body) {
      end.current?.focus({ preventScroll: true });
    }
  }, [isMore]);
  if (!isMore) return <span ref={end} tabIndex={-1} />;
  return (
    <button
      type="button"
      className={className}
      aria-disabled={busy}
      onClick={() => busy || list.fetchNextPage()}
    >
      {busy ? t("Loading…") : label}
    </button>
  );
}
