import { type ReactNode, useId, useState } from "react";
import { Icon } from "./icon";
import { usePrinting } from "./printing";

interface Props {
  /** By which `showSection` finds it. */
  id?: string;
  title: ReactNode;
  /** What stands at the right of the title, also when closed. */
  summary?: ReactNode;
  startOpen?: boolean;
  /** Open as long as this holds, unless a reader has folded it; and longer where they have pressed something in it. */
  openWhile?: boolean;
  children: () => ReactNode;
}

/** A section with a heading that opens and closes; what is closed is not rendered at all. */
export function FoldedSection(props: Props) {
  const { id: name, title, summary, startOpen = false, openWhile = false, children } = props;
  const [started] = useState(startOpen);
  const [chosen, choose] = useState<boolean | null>(null);
  const printing = usePrinting((state) => state.printing);
  const opened = chosen ?? (started || openWhile);
  const open = opened || printing;
  const id = useId();
  return (
    // No landmark: a conversation has dozens of them, and their headings lead there.
    <div id={name} className="fold">
      <h3 className="fold-heading">
        <button
          type="button"
          aria-expanded={open}
          aria-controls={`${id}-body`}
          onClick={() => choose(!open)}
        >
          <Icon name="chevron" />
          <span id={`${id}-title`} className="fold-title">
            {title}
          </span>
          {summary && <span className="fold-summary">{summary}</span>}
        </button>
      </h3>
      <div
        id={`${id}-body`}
        hidden={!open}
        className="fold-body"
        // Whoever has opened something in it is reading there.
        onClickCapture={() => choose(true)}
      >
        {open && children()}
      </div>
    </div>
  );
}

/** Opens a section and brings it to the top of the screen, with the focus. */
export function showSection(id: string) {
  const section = document.getElementById(id);
  const head = section?.querySelector<HTMLElement>(".fold-heading button");
  if (head?.getAttribute("aria-expanded") === "false") head.click();
  head?.focus({ preventScroll: true });
  // What was closed is drawn first: before that the page may end too soon to scroll there.
  requestAnimationFrame(() => section?.scrollIntoView({ block: "start" }));
}

/** A small `<details>`, for secondary text: reasoning, raw reviews. */
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
