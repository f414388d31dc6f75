import type { ReactNode } from "react";

/** A question mark that opens to an exact explanation. */
export function Explain({
  label,
  children,
}: {
  /** What it explains. */
  label: string;
  children: ReactNode;
}) {
  return (
    <details className="explain">
      <summary aria-label={label} title={label}>
        ?
      </summary>
      <div className="explain-body">{children}</div>
    </details>
  );
}
