import "../../styles/link-strip.css";
import "../../styles/section-nav.css";
import { useEffect, useRef, useState } from "react";
import { t } from "../../i18n";

/** Titles are translated where they are shown. */
export type Sections = readonly (readonly [id: string, title: string])[];

/** The part at the top of the screen, or just below it. */
function useCurrent(sections: Sections): string | null {
  const [current, setCurrent] = useState<string | null>(null);
  useEffect(() => {
    let frame = 0;
    const look = () => {
      frame = 0;
      const line = innerHeight / 3;
      const isAtEnd = scrollY > 0 && scrollY + innerHeight >= document.body.scrollHeight - 2;
      const begun = sections.filter(([id]) => {
        const top = document.getElementById(id)?.getBoundingClientRect().top;
        return top !== undefined && (isAtEnd || top <= line);
      });
      setCurrent(begun.at(-1)?.[0] ?? sections[0]?.[0] ?? null);
    };
    const soon = () => {
      frame ||= requestAnimationFrame(look);
    };
    look();
    addEventListener("scroll", soon, { passive: true });
    addEventListener("resize", soon);
    // What is fetched pushes the parts down without a scroll.
    const grown = new ResizeObserver(soon);
    grown.observe(document.body);
    return () => {
      cancelAnimationFrame(frame);
      removeEventListener("scroll", soon);
      removeEventListener("resize", soon);
      grown.disconnect();
    };
  }, [sections]);
  return current;
}

/** What people do to look elsewhere. */
const moves = ["wheel", "touchmove", "pointerdown", "keydown"] as const;

/** The part that somebody has gone to stays where they see it, whatever is fetched above it, until they look elsewhere. */
function useStay() {
  useEffect(() => {
    // Also the one that the page was opened at.
    let target: string | null = location.hash.slice(1);
    const go = () => {
      target = location.hash.slice(1);
    };
    const leave = () => {
      target = null;
    };
    addEventListener("hashchange", go);
    for (const move of moves) addEventListener(move, leave, { passive: true });
    const grown = new ResizeObserver(() => {
      if (target) document.getElementById(target)?.scrollIntoView();
    });
    grown.observe(document.body);
    return () => {
      removeEventListener("hashchange", go);
      for (const move of moves) removeEventListener(move, leave);
      grown.disconnect();
    };
  }, []);
}

/**
 * A way to the parts of a long page: next to it on a wide screen, a strip above it on a narrow one.
 */
export function SectionNav({ label, sections }: { label: string; sections: Sections }) {
  const current = useCurrent(sections);
  useStay();
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => {
    const link = list.current?.querySelector<HTMLElement>(`a[href="#${current}"]`);
    // Not scrollIntoView, which would move the page as well.
    if (link && list.current) {
      list.current.scrollLeft = link.offsetLeft - (list.current.clientWidth - link.offsetWidth) / 2;
    }
  }, [current]);
  return (
    <nav className="link-strip section-nav" aria-label={label}>
      <ul ref={list}>
        {sections.map(([id, title]) => (
          <li key={id}>
            <a href={`#${id}`} aria-current={id === current ? "location" : undefined}>
              {t(title)}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
