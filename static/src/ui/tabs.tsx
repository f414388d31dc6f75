import { type KeyboardEvent, type ReactNode, useId, useRef, useState } from "react";

export interface Tab {
  key: string;
  title: ReactNode;
  body: () => ReactNode;
}

/** One at a time, with the arrow keys of the tabs pattern. */
export function Tabs({
  label,
  tabs,
  start = 0,
}: {
  label: string;
  tabs: readonly Tab[];
  start?: number;
}) {
  const [at, setAt] = useState(start);
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const shown = tabs[Math.min(at, tabs.length - 1)];
  const move = (event: KeyboardEvent) => {
    const last = tabs.length - 1;
    const next = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: last }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    const to = next < 0 ? last : next > last ? 0 : next;
    setAt(to);
    list.current?.querySelectorAll<HTMLElement>("[role=tab]")[to]?.focus();
  };
  if (!shown) return null;
  return (
    <>
      <div ref={list} className="tabs" role="tablist" aria-label={label} onKeyDown={move}>
        {tabs.map((tab, index) => (
          <button
            key={tab.key}
            type="button"
            role="tab"
            id={`${id}-tab-${index}`}
            aria-selected={index === at}
            aria-controls={`${id}-panel`}
            tabIndex={index === at ? 0 : -1}
            onClick={() => setAt(index)}
          >
            {tab.title}
          </button>
        ))}
      </div>
      <div key={shown.key} role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-tab-${at}`}>
        {shown.body()}
      </div>
    </>
  );
}
