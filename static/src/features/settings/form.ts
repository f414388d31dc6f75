/** The council as it is being edited, and what of it is sent. */
import type { Config, ConfigChange } from "../../api/types";
import type { Choices, SettingsPart } from "../feature";
import { byDefaultIn, othersOf, promptOf, toDefaultOptions } from "../options/choices";
import { parts } from "./parts";

export interface SeatDraft {
  /** Keeps a row's boxes with their member while rows move. */
  key: number;
  model: string;
  alias: string;
  systemPrompt: string;
}

export interface FallbackDraft {
  key: number;
  model: string;
}

export interface SettingsDraft {
  seats: SeatDraft[];
  chairman: string;
  chairmanAlias: string;
  fallbacks: FallbackDraft[];
  titleModel: string;
  utilityModel: string;
  promptInReviews: boolean;
  promptInSynthesis: boolean;
  /** The features' parts of the form, each under its feature's name. */
  parts: Readonly<Record<string, object>>;
  /** What a question is asked with where nothing else is chosen. */
  byDefault: Choices;
  /** The system prompt of a question that has none. */
  promptByDefault: string;
  /** Default options that this page does not know: they stay as they are. */
  otherDefaults: Readonly<Record<string, unknown>>;
}

let lastKey = 0;
export const newKey = () => ++lastKey;

export const newSeat = (model: string): SeatDraft => ({
  key: newKey(),
  model,
  alias: "",
  systemPrompt: "",
});

export const draftOf = (config: Config): SettingsDraft => ({
  seats: config.council_models.map((member) => ({
    key: newKey(),
    model: member.model,
    alias: member.alias ?? "",
    systemPrompt: member.system_prompt ?? "",
  })),
  chairman: config.chairman_model,
  chairmanAlias: config.chairman_alias ?? "",
  fallbacks: config.chairman_fallbacks.map((model) => ({ key: newKey(), model })),
  titleModel: config.title_model,
  utilityModel: config.utility_model,
  promptInReviews: config.use_system_prompt_stage2,
  promptInSynthesis: config.use_system_prompt_stage3,
  parts: Object.fromEntries(parts.map(({ name, part }) => [name, part.draftOf(config)])),
  byDefault: byDefaultIn(config),
  promptByDefault: promptOf(config.default_options),
  otherDefaults: othersOf(config.default_options),
});

/** What the features' parts of a draft come to, together. */
const ofParts = <T extends object>(
  draft: SettingsDraft,
  read: (part: SettingsPart<object>, own: object) => T | undefined,
): Partial<T> =>
  Object.assign({}, ...parts.map(({ name, part }) => read(part, draft.parts[name] ?? {})));

/** The models of the members, each once: near at hand where models are chosen. */
export const councilOf = (draft: SettingsDraft) => [
  ...new Set(draft.seats.map((seat) => seat.model.trim()).filter(Boolean)),
];

/** The council as it would be once the draft is saved, for what depends on it. */
export const configOf = (draft: SettingsDraft, config: Config): Config => ({
  ...config,
  council_models: draft.seats.map(({ model }) => ({ model })),
  ...ofParts(draft, (part, own) => part.configOf?.(own)),
});

/** The whole draft, so that what the instance changes meanwhile does not mix with it. */
export const changeOf = (draft: SettingsDraft): ConfigChange => ({
  council_models: draft.seats.map(({ model, alias, systemPrompt }) => ({
    model: model.trim(),
    alias: alias.trim() || null,
    system_prompt: systemPrompt.trim() ? systemPrompt : null,
  })),
  chairman_model: draft.chairman.trim(),
  // Empty takes an alias away; null would leave it.
  chairman_alias: draft.chairmanAlias.trim(),
  chairman_fallbacks: draft.fallbacks.map(({ model }) => model.trim()),
  title_model: draft.titleModel.trim(),
  utility_model: draft.utilityModel.trim(),
  use_system_prompt_stage2: draft.promptInReviews,
  use_system_prompt_stage3: draft.promptInSynthesis,
  ...ofParts(draft, (part, own) => part.changeOf(own)),
  default_options: {
    ...draft.otherDefaults,
    ...toDefaultOptions(draft.byDefault),
    ...(draft.promptByDefault.trim() && { system_prompt: draft.promptByDefault }),
  },
});

/** Whether other settings would be sent. */
export const isChanged = (draft: SettingsDraft, base: SettingsDraft) =>
  JSON.stringify(changeOf(draft)) !== JSON.stringify(changeOf(base));

/** `list` with the entry at `from` moved to `to`. */
export function moved<T>(list: readonly T[], from: number, to: number): T[] {
  const next = [...list];
  next.splice(to, 0, ...next.splice(from, 1));
  return next;
}
