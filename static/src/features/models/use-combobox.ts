import { type KeyboardEvent, useEffect, useState } from "react";
import { isForInputMethod } from "../../ui/composing";

/** How far a page key goes. */
const page = 8;

interface Props {
  /** What can be chosen, in the order of the list. */
  keys: readonly string[];
  /** Whether Enter chooses the first one while none has been moved to. */
  first: boolean;
  /** The last place, if it is chosen only on purpose, such as text that is no hit: the arrow down leads there, but not as the first key. */
  onPurpose?: number | undefined;
  idOf: (at: number) => string;
  onChoose: (at: number) => void;
  /** Whether there was something to leave: otherwise the key is for what is around. */
  onEscape: () => boolean;
}

/** The keys of a combobox: the focus stays in its box, and goes through the list in name only. */
export function useCombobox({ keys, first, onPurpose, idOf, onChoose, onEscape }: Props) {
  const [chosen, setChosen] = useState<string | null>(null);
  const found = chosen === null ? -1 : keys.indexOf(chosen);
  const at = found < 0 && first && keys.length > 0 ? 0 : found;
  const id = at < 0 ? undefined : idOf(at);
  // Only after keys: a reader with a pointer sees what they point at.
  const [moves, setMoves] = useState(0);
  useEffect(() => {
    if (moves > 0 && id) document.getElementById(id)?.scrollIntoView({ block: "nearest" });
  }, [moves, id]);

  const go = (next: number) => {
    const to = found < 0 && at >= 0 && next === onPurpose ? at : next;
    setChosen(keys[to] ?? null);
    setMoves(moves + 1);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (isForInputMethod(event.nativeEvent)) return;
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const last = keys.length - 1;
    switch (event.key) {
      case "ArrowDown":
        go(at >= last ? 0 : at + 1);
        break;
      case "ArrowUp":
        go(at <= 0 ? (onPurpose ?? keys.length) - 1 : at - 1);
        break;
      case "PageDown":
        go(Math.min(last, Math.max(0, at) + page));
        break;
      case "PageUp":
        go(Math.max(0, at - page));
        break;
      case "Enter":
        // Never the form around it.
        if (at >= 0) onChoose(at);
        break;
      case "Escape":
        setChosen(null);
        if (!onEscape() && at < 0) return;
        event.stopPropagation();
        break;
      default:
        return;
    }
    event.preventDefault();
  };
  return { at, activeId: id, onKeyDown, forget: () => setChosen(null) };
}
