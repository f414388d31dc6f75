/** Asks before edits that are not saved are left behind, by whatever way. */
import { useEffect, useRef, useState } from "react";
import { useLocation } from "wouter";
import { t } from "../../i18n";
import { Confirm } from "../../ui/confirm";

/** The part of the Navigation API that is used; browsers without it are asked at links alone. */
interface NavigateEvent extends Event {
  readonly navigationType: "push" | "replace" | "reload" | "traverse";
  readonly destination: { readonly url: string; readonly key: string };
}
interface Navigation extends EventTarget {
  traverseTo(key: string): unknown;
}
const navigation = (globalThis as { navigation?: Navigation }).navigation;

/** Where the reader was about to go. */
interface Going {
  /** The page that is shown. */
  from: string;
  href: string;
  /** A step in the browser's history, to be made again. */
  key: string | null;
}

/** The address within this site; null for the page that is shown, and for other sites. */
function elsewhere(address: string): string | null {
  const url = new URL(address, location.href);
  if (url.origin !== location.origin || url.pathname === location.pathname) return null;
  return url.pathname + url.search + url.hash;
}

function useHeld(active: boolean) {
  const [going, setGoing] = useState<Going | null>(null);
  useEffect(() => {
    if (!active) return;
    // A reload or a closed tab: the browser asks in its own words.
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener("beforeunload", ask);
    const hold = (event: Event, address: string, key: string | null) => {
      const href = elsewhere(address);
      // Another form of the page asks already: this one does once that is settled.
      if (href === null || !event.cancelable || event.defaultPrevented) return;
      event.preventDefault();
      event.stopPropagation();
      setGoing({ from: location.pathname, href, key });
    };
    const onNavigate = (event: Event) => {
      const { navigationType, destination } = event as NavigateEvent;
      if (navigationType === "reload") return;
      hold(event, destination.url, navigationType === "traverse" ? destination.key : null);
    };
    const onClick = (event: MouseEvent) => {
      const link = event.target instanceof Element ? event.target.closest("a[href]") : null;
      const isPlain = event.button === 0 && !(event.metaKey || event.ctrlKey || event.shiftKey);
      if (!(link instanceof HTMLAnchorElement) || link.target || link.download || !isPlain) return;
      hold(event, link.href, null);
    };
    if (navigation) navigation.addEventListener("navigate", onNavigate);
    else addEventListener("click", onClick, true);
    return () => {
      removeEventListener("beforeunload", ask);
      navigation?.removeEventListener("navigate", onNavigate);
      removeEventListener("click", onClick, true);
    };
  }, [active]);
  return [going, setGoing] as const;
}

interface Props {
  /** Whether there are edits. */
  active: boolean;
  /** Resolves with whether they were saved; none where whoever saves has to stay for what comes of it. */
  save?: () => Promise<boolean>;
  /** Lets the edits go. */
  discard: () => void;
  /** What would be lost, in a sentence. */
  text?: string;
}

export function Leaving({ active, save, discard, text }: Props) {
  const [going, setGoing] = useHeld(active);
  const [leave, setLeave] = useState<Going | null>(null);
  // Where to go; also once the form has closed because it was saved or discarded.
  const wanted = useRef<Going | null>(null);
  const [, go] = useLocation();
  const follow = useRef<() => void>(() => undefined);
  useEffect(() => {
    follow.current = () => {
      const to = wanted.current;
      wanted.current = null;
      // A reader who has gone elsewhere by then stays there.
      if (to?.from !== location.pathname) return;
      if (to.key === null) go(to.href);
      else navigation?.traverseTo(to.key);
    };
  }, [go]);
  // Not before the edits are gone, or they would block the way once more.
  useEffect(() => {
    if (!leave || active) return;
    setLeave(null);
    follow.current();
  }, [leave, active]);
  useEffect(() => () => follow.current(), []);
  if (!going) return null;
  return (
    <Confirm
      title={t("Leave without saving?")}
      cancel={t("Keep editing")}
      onCancel={() => setGoing(null)}
      actions={[
        {
          label: t("Discard and leave"),
          tone: "danger",
          run: () => {
            setGoing(null);
            wanted.current = going;
            setLeave(going);
            discard();
          },
        },
        ...(save
          ? [
              {
                label: t("Save and leave"),
                tone: "main" as const,
                run: async () => {
                  setGoing(null);
                  wanted.current = going;
                  if (await save()) setLeave(going);
                  else wanted.current = null;
                },
              },
            ]
          : []),
      ]}
    >
      {text ?? t("What you changed in these settings is not saved yet.")}
    </Confirm>
  );
}
