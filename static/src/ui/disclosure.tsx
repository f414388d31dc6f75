import { type ReactNode, useId, useState } from "react";
import { Icon } from "./icon";

interface Props {
  title: ReactNode;
  /** What stands at the right of the title, also when closed. */
  summary?: ReactNode;
  startOpen?: boolean;
  children: () => ReactNode;
}

/** A section with a heading that opens and closes; what is closed is not rendered at all. */
export function FoldedSection({ title, summary, startOpen = false, children }: Props) {
  const [open, setOpen] = useState(startOpen);
  const id = useId();
  return (
    <section className="fold" aria-labelledby={`${id}-title`}>
      <h3 className="fold-heading">
        <button
          type="button"
          aria-expanded={open}
          aria-controls={`${id}-body`}
          onClick={() => setOpen(!open)}
        >
          <Icon name="chevron" />
          <span id={`${id}-title`} className="fold-title">
            {title}
          </span>
          {summary && <span className="fold-summary">{summary}</span>}
        </button>
      </h3>
      <div id={`${id}-body`} hidden={!open} className="fold-body">
        {open && children()}
      </div>
    </section>
  );
}

/** A small `<details>`, for text beside the point: reasoning, raw reviews. */
export function Details({ title, children }: { title: ReactNode; children: () => ReactNode }) {
  const [open, setOpen] = useState(false);
  return (
    <details className="details" open={open} onToggle={(e) => setOpen(e.currentTarget.open)}>
      <summary>
        <Icon name="chevron" />
        {title}
      </summary>
      {open && <div className="details-body">{children()}</div>}
    </details>
  );
}
