/** What is typed and not yet sent, per conversation, kept across reloads. */
import { useSyncExternalStore } from "react";
import { kept } from "../../ui/kept";

export interface Draft {
  content: string;
  useCot: boolean;
  systemPrompt: string;
}

const empty: Draft = { content: "", useCot: false, systemPrompt: "" };
const cache = new Map<string, Draft>();
const listeners = new Set<() => void>();
const keyOf = (id: string | null) => `draft:${id ?? "new"}`;

function parse(text: string | null): Draft {
  if (text === null) return empty;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? { ...empty, ...value } : empty;
  } catch {
    return empty;
  }
}

export const drafts = {
  read(id: string | null): Draft {
    const key = keyOf(id);
    let draft = cache.get(key);
    if (!draft) {
      draft = parse(kept.read(key));
      cache.set(key, draft);
    }
    return draft;
  },
  write(id: string | null, change: Partial<Draft>) {
    const draft = { ...drafts.read(id), ...change };
    cache.set(keyOf(id), draft);
    const isEmpty = !draft.content && !draft.useCot && !draft.systemPrompt;
    kept.write(keyOf(id), isEmpty ? null : JSON.stringify(draft));
    for (const listener of listeners) listener();
  },
};

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
}

export const useDraft = (id: string | null) =>
  useSyncExternalStore(subscribe, () => drafts.read(id));
