import { type RefObject, useEffect, useRef, useState } from "react";
import { t } from "../../i18n";
import { Icon } from "../../ui/icon";
import { useLasting } from "../../ui/media";

/** Any sooner, the page may be scrolling down by itself, to a question that was just asked. */
const unaskedMs = 400;

/** What is above the screen counts as seen, what the composer covers does not. */
const seen = "9999px 0px -140px";

/** From further away it jumps: everything passed on the way would have to be drawn. */
const farScreens = 3;

const lastOf = (list: RefObject<HTMLElement | null>) => {
  const last = list.current?.lastElementChild;
  return last instanceof HTMLElement ? last : null;
};

/** The keys go on from here. */
function focusOn(turn: HTMLElement) {
  turn.tabIndex = -1;
  turn.focus({ preventScroll: true });
}

interface Props {
  /** The turns' element. */
  list: RefObject<HTMLElement | null>;
  /** How many turns are in it. */
  count: number;
  /** Scrolls to the last of them. */
  onPress: (behavior: ScrollBehavior) => void;
}

/** The way to the newest question, for a reader who is further up in the conversation. */
export function NewestButton({ list, count, onPress }: Props) {
  const [below, setBelow] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const many = count > 1;
  // biome-ignore lint/correctness/useExhaustiveDependencies: with their count, the last one is another
  useEffect(() => {
    const last = lastOf(list);
    if (!many || !last) return;
    const watcher = new IntersectionObserver(
      (entries) => {
        const isBelow = entries.at(-1)?.isIntersecting === false;
        // Whoever scrolled there by keys, with the button in focus, does not lose their place.
        if (!isBelow && button.current && document.activeElement === button.current) focusOn(last);
        setBelow(isBelow);
      },
      { rootMargin: seen },
    );
    watcher.observe(last);
    return () => {
      watcher.disconnect();
      setBelow(false);
    };
  }, [list, many, count]);
  const shown = useLasting(below, unaskedMs);
  if (!shown) return null;
  const press = () => {
    const last = lastOf(list);
    if (!last) return;
    const isFar = last.getBoundingClientRect().top > farScreens * innerHeight;
    focusOn(last);
    onPress(isFar ? "instant" : "smooth");
  };
  return (
    <button
      ref={button}
      type="button"
      className="newest-button"
      aria-label={t("Newest question")}
      title={t("Newest question")}
      onClick={press}
    >
      <Icon name="down" />
    </button>
  );
}
