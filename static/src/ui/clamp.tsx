import { type ReactNode, useEffect, useRef, useState } from "react";
import { t } from "../i18n";

/**
 * Long text in a box of limited height. While it is being written the box follows its end, unless
 * the reader has scrolled away; afterwards it shows its beginning and opens on demand.
 */
export function Clamp({
  label,
  following,
  children,
}: {
  label: string;
  following: boolean;
  children: ReactNode;
}) {
  const box = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const atEnd = useRef(true);
  const follows = useRef(following);
  const [open, setOpen] = useState(false);
  const [overflows, setOverflows] = useState(false);

  useEffect(() => {
    follows.current = following;
    if (!following && !open && box.current) box.current.scrollTop = 0;
  }, [following, open]);

  // An observer reports new sizes, so the box is never asked for them: asking would lay the page out
  // anew for every text that grows in a frame.
  useEffect(() => {
    const element = box.current;
    if (!element || !content.current) return;
    const watch = new ResizeObserver(() => {
      if (follows.current && atEnd.current) element.scrollTop = element.scrollHeight;
      setOverflows(element.scrollHeight > element.clientHeight + 4);
    });
    watch.observe(element);
    watch.observe(content.current);
    return () => watch.disconnect();
  }, []);

  const mode = open ? "open" : following ? "following" : "closed";
  return (
    <div className={`clamp clamp-${mode}${overflows ? " clamp-overflows" : ""}`}>
      {/* A box that scrolls must be reachable by keyboard; one that grows may scroll from one moment to the next. */}
      <div
        ref={box}
        className="clamp-box"
        {...(mode === "following" ? { tabIndex: 0, role: "group", "aria-label": label } : {})}
        onScroll={(event) => {
          const { scrollTop, scrollHeight, clientHeight } = event.currentTarget;
          atEnd.current = scrollHeight - scrollTop - clientHeight < 24;
        }}
      >
        <div ref={content}>{children}</div>
      </div>
      {!following && (overflows || open) && (
        <button
          type="button"
          className="clamp-button"
          aria-expanded={open}
          aria-label={
            open ? t("Show less: {{label}}", { label }) : t("Read in full: {{label}}", { label })
          }
          onClick={() => setOpen(!open)}
        >
          {open ? t("Show less") : t("Read in full")}
        </button>
      )}
    </div>
  );
}
