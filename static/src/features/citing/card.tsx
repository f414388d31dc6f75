import { useEffect, useId, useLayoutEffect, useRef } from "react";
import type { FoundSource } from "../../api/types";
import { t } from "../../i18n";
import { Snippet, SourceFacts, SourceTitle } from "./facts";
import { showSource } from "./jump";

interface Props {
  source: FoundSource;
  /** Beside which it stands. */
  anchor: HTMLElement;
  list: string;
  onEnter: () => void;
  onLeave: () => void;
  onClose: () => void;
}

const gap = 6;
const edge = 8;

/** Below the number, or above it where there is more room; never beyond the screen. */
function place(card: HTMLElement, anchor: HTMLElement) {
  const at = anchor.getBoundingClientRect();
  const { width, height } = card.getBoundingClientRect();
  const { clientWidth, clientHeight } = document.documentElement;
  const below =
    at.bottom + gap + height + edge <= clientHeight || at.top < clientHeight - at.bottom;
  const left = Math.min(Math.max(edge, at.left - 12), Math.max(edge, clientWidth - width - edge));
  card.style.left = `${left}px`;
  card.style.top = `${below ? at.bottom + gap : Math.max(edge, at.top - gap - height)}px`;
  return at.bottom > 0 && at.top < clientHeight;
}

/** What is known of a source, next to its number. */
export default function SourceCard({ source, anchor, list, onEnter, onLeave, onClose }: Props) {
  const card = useRef<HTMLDivElement>(null);
  const id = useId();
  // Above whatever would cut it off: a box that scrolls, a text that fades.
  useLayoutEffect(() => {
    const element = card.current;
    if (!element) return;
    element.showPopover?.();
    place(element, anchor);
  }, [anchor]);
  useEffect(() => {
    let frame = 0;
    const follow = () => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(() => {
        if (card.current && !place(card.current, anchor)) onClose();
      });
    };
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== "Escape") return;
      // Only the card closes, and not what is around it.
      event.stopPropagation();
      event.preventDefault();
      onClose();
    };
    const onPress = ({ target }: PointerEvent) => {
      if (!(target instanceof Node)) return;
      if (!card.current?.contains(target) && !anchor.contains(target)) onClose();
    };
    document.addEventListener("scroll", follow, { capture: true, passive: true });
    window.addEventListener("resize", follow);
    document.addEventListener("keydown", onKey, true);
    document.addEventListener("pointerdown", onPress, true);
    return () => {
      cancelAnimationFrame(frame);
      document.removeEventListener("scroll", follow, true);
      window.removeEventListener("resize", follow);
      document.removeEventListener("keydown", onKey, true);
      document.removeEventListener("pointerdown", onPress, true);
    };
  }, [anchor, onClose]);
  return (
    <div
      ref={card}
      popover="manual"
      role="note"
      aria-labelledby={id}
      className="source-card"
      onPointerEnter={onEnter}
      onPointerLeave={(event) => event.pointerType === "mouse" && onLeave()}
    >
      <p className="source-card-head" id={id}>
        {t("Source {{n}}", { n: source.n })}
      </p>
      <SourceTitle source={source} inTabs={false} />
      <SourceFacts source={source} />
      <Snippet source={source} />
      <button
        type="button"
        tabIndex={-1}
        className="source-card-more"
        onClick={() => {
          onClose();
          showSource(list, source.n);
        }}
      >
        {t("In the list of sources")}
      </button>
    </div>
  );
}
