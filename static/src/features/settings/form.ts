/** The council as it is being edited, and what of it is sent. */
import type { FieldError } from "../../api/problem";
import type { Config, ConfigChange } from "../../api/types";

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
  countSelfVotes: boolean;
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
  countSelfVotes: config.count_self_votes,
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
  count_self_votes: draft.countSelfVotes,
});

export const isChanged = (draft: SettingsDraft, config: Config) =>
  JSON.stringify(changeOf(draft)) !== JSON.stringify(changeOf(draftOf(config)));

/** `list` with the entry at `from` moved to `to`. */
export function moved<T>(list: readonly T[], from: number, to: number): T[] {
  const next = [...list];
  next.splice(to, 0, ...next.splice(from, 1));
  return next;
}

/** The messages that belong to exactly this field. */
export const messagesAt = (errors: readonly FieldError[], field: string) =>
  errors.filter((error) => error.field === field).map((error) => error.message);
