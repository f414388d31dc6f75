import type { UseQueryResult } from "@tanstack/react-query";
import { createContext, type ReactNode, useContext, useId, useState } from "react";
import { t } from "../../i18n";
import { useKeptFocus } from "../../ui/kept-focus";
import { ReadFailed } from "../../ui/read-failed";

/** Lines where figures will stand, so that the page does not jump when they come. */
export function Waiting({ lines = 4 }: { lines?: number }) {
  return (
    <div className="waiting" role="status">
      <span className="visually-hidden">{t("Loading…")}</span>
      {Array.from({ length: lines }, (_, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they are all alike
        <span key={at} className="waiting-line" aria-hidden="true" />
      ))}
    </div>
  );
}

/** Whether the figures around are still those of what was asked before. */
const OfBefore = createContext(false);

/** Says that there is nothing. Not while the figures shown are of other days: they say nothing about these. */
export function Nothing({ children }: { children: ReactNode }) {
  return useContext(OfBefore) ? <Waiting lines={1} /> : children;
}

/** What the shown figures of a query were asked with: the earlier ones stay until the new ones are there. */
export function useAskedWith<T>(
  query: { data: unknown; isPlaceholderData: boolean },
  asking: T,
): T {
  const [before, setBefore] = useState(asking);
  if (query.isPlaceholderData) return before;
  if (query.data !== undefined && before !== asking) setBefore(asking);
  return asking;
}

type Asked<T> = Pick<
  UseQueryResult<T>,
  "data" | "error" | "isPending" | "isPlaceholderData" | "refetch"
>;

/** What a query answered; or that it is on its way, or why it failed. */
export function Answered<T>({
  query,
  failed,
  lines,
  children,
}: {
  query: Asked<T>;
  /** Says that it could not be read, with a gap for the `reason`. */
  failed: string;
  lines?: number;
  children: (data: T) => ReactNode;
}) {
  if (query.isPending) return <Waiting {...(lines ? { lines } : {})} />;
  return (
    <>
      {query.error && <ReadFailed text={failed} query={query} />}
      {query.data !== undefined && (
        <div
          className={query.isPlaceholderData ? "answered answered-before" : "answered"}
          aria-busy={query.isPlaceholderData}
        >
          <OfBefore value={query.isPlaceholderData}>{children(query.data)}</OfBefore>
        </div>
      )}
    </>
  );
}

/** A part of the page under a heading. What has the focus in it may go: the focus stays in it. */
export function Panel({
  title,
  lead,
  tools,
  className = "",
  children,
}: {
  title: string;
  lead?: ReactNode;
  /** What stands at the right of the title. */
  tools?: ReactNode;
  className?: string;
  children: ReactNode;
}) {
  const id = useId();
  const kept = useKeptFocus<HTMLElement>();
  return (
    <section {...kept} className={`panel ${className}`.trim()} aria-labelledby={id}>
      <div className="panel-head">
        <h2 id={id}>{title}</h2>
        {tools}
      </div>
      {lead && <p className="panel-lead">{lead}</p>}
      {children}
    </section>
  );
}
