import { useEffect, useMemo, useState, useSyncExternalStore } from "react";

/** Whether a media query holds now. */
export function useMedia(query: string): boolean {
  const media = useMemo(() => {
    const list = matchMedia(query);
    return {
      subscribe: (changed: () => void) => {
        list.addEventListener("change", changed);
        return () => list.removeEventListener("change", changed);
      },
      matches: () => list.matches,
    };
  }, [query]);
  return useSyncExternalStore(media.subscribe, media.matches);
}

/** Whether something has been so for `ms` without a break. */
export function useLasting(holds: boolean, ms: number): boolean {
  const [lasts, setLasts] = useState(false);
  useEffect(() => {
    if (!holds) return;
    const timer = setTimeout(() => setLasts(true), ms);
    return () => {
      clearTimeout(timer);
      setLasts(false);
    };
  }, [holds, ms]);
  return holds && lasts;
}

function subscribeOnline(changed: () => void) {
  addEventListener("online", changed);
  addEventListener("offline", changed);
  return () => {
    removeEventListener("online", changed);
    removeEventListener("offline", changed);
  };
}

function subscribeDay(changed: () => void) {
  addEventListener("focus", changed);
  document.addEventListener("visibilitychange", changed);
  return () => {
    removeEventListener("focus", changed);
    document.removeEventListener("visibilitychange", changed);
  };
}

/** Today by the reader's clock: another day for a page that was open overnight. */
export const useDay = () => useSyncExternalStore(subscribeDay, () => new Date().toDateString());

export const useOnline = () => useSyncExternalStore(subscribeOnline, () => navigator.onLine);
