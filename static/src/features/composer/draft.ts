/**
 * What is typed and chosen and not yet sent, per conversation, kept across reloads. What the browser has
 * kept is somebody's: it is shown once the server has said that they are the one who is signed in.
 */
import { useSyncExternalStore } from "react";
import { identity } from "../../api/identity";
import type { CouncilMember } from "../../api/types";
import { kept, keptInTab } from "../../ui/kept";
import type { Choices } from "../feature";
import { lasting, readChoices } from "../options/choices";

export interface Draft {
  content: string;
  systemPrompt: string;
  /** Only what was chosen here: the rest is what the settings or the preset say. */
  choices: Partial<Choices>;
  /** The preset to ask with; null asks the council of the settings. */
  preset: string | null;
  /** The council that a link names or that was put together here; none: that of the settings or the preset. */
  models: readonly CouncilMember[];
  /** The chairman that was chosen here; null: that of the settings or the preset. */
  chairman: string | null;
  /** The seat that alone is asked next; null: the whole council. */
  to: string | null;
}

const empty: Draft = {
  content: "",
  systemPrompt: "",
  choices: {},
  preset: null,
  models: [],
  chairman: null,
  to: null,
};

/** In the place of a conversation's id, for a question that is to begin one in this project; null outside of projects. */
export const newIn = (project: string | null | undefined): string | null =>
  project ? `new:${project}` : null;

/** A member as it was kept, by whatever release. */
function readMember(kept: unknown): CouncilMember[] {
  if (typeof kept === "string") return [{ model: kept }];
  if (typeof kept !== "object" || kept === null) return [];
  const { model, alias, system_prompt } = kept as Record<string, unknown>;
  if (typeof model !== "string") return [];
  return [
    {
      model,
      ...(typeof alias === "string" && { alias }),
      ...(typeof system_prompt === "string" && { system_prompt }),
    },
  ];
}
const cache = new Map<string, Draft>();
const listeners = new Set<() => void>();
const keyOf = (id: string | null) => `draft:${id ?? "new"}`;

function parse(text: string | null): Draft {
  if (text === null) return empty;
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== "object" || value === null) return empty;
    const { content, systemPrompt, choices, preset, models, chairman, to } = value as Record<
      string,
      unknown
    >;
    return {
      content: typeof content === "string" ? content : "",
      systemPrompt: typeof systemPrompt === "string" ? systemPrompt : "",
      choices: readChoices(choices),
      preset: typeof preset === "string" ? preset : null,
      models: Array.isArray(models) ? models.flatMap(readMember) : [],
      chairman: typeof chairman === "string" ? chairman : null,
      to: typeof to === "string" ? to : null,
    };
  } catch {
    return empty;
  }
}

/** What was typed in this tab, or else in any. */
const readKept = (key: string) => parse(keptInTab.read(key) ?? kept.read(key));

function keep(key: string, draft: Draft) {
  const { content, systemPrompt, choices, preset, models, chairman, to } = draft;
  const isPlain =
    preset === null &&
    to === null &&
    chairman === null &&
    models.length === 0 &&
    Object.keys(choices).length === 0;
  const isEmpty = !content && !systemPrompt && isPlain;
  const text = isEmpty ? null : JSON.stringify(draft);
  kept.write(key, text);
  // In the same place another tab keeps what is typed there: this one comes back to its own.
  keptInTab.write(key, text);
}

// What was typed while it was not known whose drafts they are goes on after what was kept.
identity.subscribe(() => {
  for (const [key, typed] of cache) {
    const before = readKept(key);
    // A link that is followed twice says the same twice.
    const content = [...new Set([before.content, typed.content])].filter(Boolean).join("\n\n");
    const choices = { ...before.choices, ...typed.choices };
    const { systemPrompt, preset, models, chairman, to } = typed;
    const draft = {
      content,
      choices,
      systemPrompt: systemPrompt || before.systemPrompt,
      preset: preset ?? before.preset,
      models: models.length > 0 ? models : before.models,
      chairman: chairman ?? before.chairman,
      to: to ?? before.to,
    };
    cache.set(key, draft);
    keep(key, draft);
  }
  for (const listener of listeners) listener();
});

export const drafts = {
  read(id: string | null): Draft {
    const key = keyOf(id);
    let draft = cache.get(key);
    if (!draft) {
      draft = identity.user() === null ? empty : readKept(key);
      cache.set(key, draft);
    }
    return draft;
  },
  write(id: string | null, change: Partial<Draft>) {
    const draft = { ...drafts.read(id), ...change };
    cache.set(keyOf(id), draft);
    if (identity.user() !== null) keep(keyOf(id), draft);
    for (const listener of listeners) listener();
  },
  /** Takes or changes options, and leaves the rest. */
  choose(id: string | null, change: Partial<Choices>) {
    drafts.write(id, { choices: { ...drafts.read(id).choices, ...change } });
  },
  /** The question is on its way, and with it what was for it alone. */
  sent(id: string | null) {
    drafts.write(id, { content: "", to: null, choices: lasting(drafts.read(id).choices) });
  },
  /** A question that is not asked after all, before what was typed since. */
  giveBack(
    id: string | null,
    question: Pick<Draft, "content" | "to"> & { choices?: Partial<Choices> | undefined },
  ) {
    const typed = drafts.read(id);
    drafts.write(id, {
      content: [question.content, typed.content].filter(Boolean).join("\n\n"),
      to: typed.to ?? question.to,
      choices: { ...typed.choices, ...question.choices },
    });
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
