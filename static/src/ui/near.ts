/** Whether something is near what the reader sees. Once it was, it stays so. */
import { type RefObject, startTransition, useEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";
// First of all: what it opens for paper has far parts of its own.
import "./printing";

const waiting = new Map<Element, () => void>();
let watcher: IntersectionObserver | null = null;

function watch(element: Element, onNear: () => void): () => void {
  watcher ??= new IntersectionObserver(
    (entries) => {
      // Many may come at once; between two of them the page answers.
      startTransition(() => {
        for (const { isIntersecting, target } of entries) if (isIntersecting) arrive(target);
      });
    },
    // About two screens ahead.
    { rootMargin: "1600px 0px" },
  );
  waiting.set(element, onNear);
  watcher.observe(element);
  return () => leave(element);
}

function leave(element: Element) {
  waiting.delete(element);
  watcher?.unobserve(element);
}

function arrive(element: Element) {
  const onNear = waiting.get(element);
  leave(element);
  onNear?.();
}

/** What is printed is all of it, also what is far within something that was far until now. */
addEventListener("beforeprint", () => {
  while (waiting.size > 0) {
    flushSync(() => {
      for (const element of [...waiting.keys()]) arrive(element);
    });
  }
});

export function useNear<T extends Element>(atOnce: boolean): [RefObject<T | null>, boolean] {
  const place = useRef<T>(null);
  const [near, setNear] = useState(atOnce);
  const known = near || atOnce;
  useEffect(() => {
    if (known || !place.current) return;
    return watch(place.current, () => setNear(true));
  }, [known]);
  return [place, known];
}
