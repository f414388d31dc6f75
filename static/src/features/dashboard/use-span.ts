import { useCallback, useMemo } from "react";
import { navigate, useSearch } from "wouter/use-browser-location";
import { dayOf, readSpan, type Span, writeSpan } from "./span";

/** The address's own query, undecoded: a tag may hold any character. */
export function useQueryOf() {
  const search = useSearch();
  const query = useMemo(() => new URLSearchParams(search), [search]);
  const write = useCallback((next: URLSearchParams) => {
    const text = next.toString();
    navigate(`${location.pathname}${text ? `?${text}` : ""}`, { replace: true });
  }, []);
  return [query, write] as const;
}

/** The span in the address, so that it stays with a reload, a link, and the way back. */
export function useSpan(): [Span, (span: Span) => void] {
  const [query, write] = useQueryOf();
  const today = dayOf(new Date());
  const span = useMemo(() => readSpan(query, today), [query, today]);
  const choose = useCallback((next: Span) => write(writeSpan(query, next)), [query, write]);
  return [span, choose];
}
