import type { ReactNode } from "react";

/** A number under its name; `dl` is around it. */
export function Figure({
  name,
  note,
  children,
}: {
  name: string;
  note?: ReactNode;
  children: ReactNode;
}) {
  return (
    <div className="figure">
      <dt>{name}</dt>
      <dd>
        {children}
        {note && <span className="figure-note">{note}</span>}
      </dd>
    </div>
  );
}
