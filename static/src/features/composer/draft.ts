/** What is typed and chosen and not yet sent, per conversation, kept across reloads. */
import { useSyncExternalStore } from "react";
import { kept } from "../../ui/kept";
import { type Choices, readChoices } from "../options/choices";

export interface Draft {
  content: string;
  systemPrompt: string;
  /** Only what was chosen here: the rest is what the settings or the preset say. */
  choices: Partial<Choices>;
  /** The preset to ask with; null asks the council of the settings. */
  preset: string | null;
}

const empty: Draft = { content: "", systemPrompt: "", choices: {}, preset: null };
const cache = new Map<string, Draft>();
const listeners = new Set<() => void>();
const keyOf = (id: string | null) => `draft:${id ?? "new"}`;

function parse(text: string | null): Draft {
  if (text === null) return empty;
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== "object" || value === null) return empty;
    const { content, systemPrompt, choices, preset } = value as Record<string, unknown>;
    return {
      content: typeof content === "string" ? content : "",
      systemPrompt: typeof systemPrompt === "string" ? systemPrompt : "",
      choices: readChoices(choices),
      preset: typeof preset === "string" ? preset : null,
    };
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
    const { content, systemPrompt, choices, preset } = draft;
    const isEmpty =
      !content && !systemPrompt && preset === null && Object.keys(choices).length === 0;
    kept.write(keyOf(id), isEmpty ? null : JSON.stringify(draft));
    for (const listener of listeners) listener();
  },
  /** Takes or changes options, and leaves the rest. */
  choose(id: string | null, change: Partial<Choices>) {
    drafts.write(id, { choices: { ...drafts.read(id).choices, ...change } });
  },
  clear(id: string | null) {
    drafts.write(id, empty);
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
