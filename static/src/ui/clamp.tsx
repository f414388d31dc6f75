import { type ReactNode, useEffect, useRef, useState } from "react";

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
  const atEnd = useRef(true);
  const [open, setOpen] = useState(false);
  const [overflows, setOverflows] = useState(false);

  // After every render: the text has grown, or the stream has ended.
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    if (following && atEnd.current) element.scrollTop = element.scrollHeight;
    if (!following && !open) element.scrollTop = 0;
    setOverflows(element.scrollHeight > element.clientHeight + 4);
  });

  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const watch = new ResizeObserver(() =>
      setOverflows(element.scrollHeight > element.clientHeight + 4),
    );
    watch.observe(element);
    return () => watch.disconnect();
  }, []);

  const mode = open ? "open" : following ? "following" : "closed";
  const scrolls = mode === "following" && overflows;
  return (
    <div className={`clamp clamp-${mode}${overflows ? " clamp-overflows" : ""}`}>
      {/* A box that scrolls must be reachable by keyboard. */}
      <div
        ref={box}
        className="clamp-box"
        {...(scrolls ? { tabIndex: 0, role: "group", "aria-label": label } : {})}
        onScroll={(event) => {
          const { scrollTop, scrollHeight, clientHeight } = event.currentTarget;
          atEnd.current = scrollHeight - scrollTop - clientHeight < 24;
        }}
      >
        {children}
      </div>
      {!following && (overflows || open) && (
        <button
          type="button"
          className="clamp-button"
          aria-expanded={open}
          aria-label={`${open ? "Show less" : "Read in full"}: ${label}`}
          onClick={() => setOpen(!open)}
        >
          {open ? "Show less" : "Read in full"}
        </button>
      )}
    </div>
  );
}
