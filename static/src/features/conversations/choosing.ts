/** Several conversations chosen from the list, to do the same with all of them. */
import { useState } from "react";
import type { ConversationSummary } from "../../api/types";

export interface Choosing {
  /** The conversations that are chosen, in the order of the list. */
  chosen: readonly ConversationSummary[];
  /** Chooses one or lets it go; `range`: and all from the last one so changed up to it. */
  toggle: (id: string, range: boolean) => void;
  set: (ids: readonly string[]) => void;
  leave: () => void;
}

/** `begin` begins to choose, with none at first; `choosing` is null until then. */
export function useChoosing(items: readonly ConversationSummary[]) {
  const [ids, setIds] = useState<ReadonlySet<string> | null>(null);
  const [last, setLast] = useState<string | null>(null);
  const begin = () => {
    setIds(new Set());
    setLast(null);
  };
  const toggle = (id: string, range: boolean) => {
    const places = items.map((item) => item.id);
    const [from, to] = [last === null ? -1 : places.indexOf(last), places.indexOf(id)];
    const changed =
      range && from >= 0 ? places.slice(Math.min(from, to), Math.max(from, to) + 1) : [id];
    const next = new Set(ids);
    const isOn = !next.has(id);
    for (const one of changed) {
      if (isOn) next.add(one);
      else next.delete(one);
    }
    setIds(next);
    setLast(id);
  };
  const choosing: Choosing | null = ids && {
    // What has left the list by then is not chosen any more.
    chosen: items.filter((item) => ids.has(item.id)),
    toggle,
    set: (all) => setIds(new Set(all)),
    leave: () => setIds(null),
  };
  return { begin, choosing };
}
