/** The council as it is being edited, and what of it is sent. */
import type { FieldError } from "../../api/problem";
import type { Category, Config, ConfigChange } from "../../api/types";
import { msg } from "../../i18n";
import { numberOf, numberText } from "../../ui/numbers";
import { type Choices, defaults, readChoices } from "../options/choices";

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
  multiChairmen: string[];
  pools: Record<Category, string[]>;
  tier1: string[];
  tier2: string[];
  /** As typed: what is no number is the server's to refuse. */
  escalateBelowAverage: string;
  escalateBelowAny: string;
  escalateBelowAgreement: string;
  adversary: string;
  /** What a question is asked with where nothing else is chosen. */
  byDefault: Choices;
}

/** In the order they are shown: the name, and what it is. */
export const categories: readonly [Category, string, string][] = [
  ["coding", msg("Coding"), msg("Programs, errors, tools.")],
  ["creative", msg("Creative"), msg("Stories, names, slogans.")],
  ["factual", msg("Factual"), msg("What is, when it was, how much.")],
  ["analysis", msg("Analysis"), msg("Comparing, weighing, deciding.")],
  ["general", msg("General"), msg("Everything else.")],
];

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
  multiChairmen: config.multi_chairman_models,
  pools: {
    coding: config.routing_pools.coding ?? [],
    creative: config.routing_pools.creative ?? [],
    factual: config.routing_pools.factual ?? [],
    analysis: config.routing_pools.analysis ?? [],
    general: config.routing_pools.general ?? [],
  },
  tier1: config.tier1_models,
  tier2: config.tier2_models,
  escalateBelowAverage: numberText(config.escalation_confidence_threshold),
  escalateBelowAny: numberText(config.escalation_min_confidence_threshold),
  escalateBelowAgreement: numberText(config.escalation_agreement_threshold),
  adversary: config.adversary_model ?? "",
  byDefault: { ...defaults, ...readChoices(config.default_options) },
});

/** The council as it would be once the draft is saved, for what depends on it. */
export const configOf = (draft: SettingsDraft, config: Config): Config => ({
  ...config,
  council_models: draft.seats.map(({ model }) => ({ model })),
  multi_chairman_models: draft.multiChairmen,
  routing_pools: draft.pools,
  tier1_models: draft.tier1,
  tier2_models: draft.tier2,
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
  multi_chairman_models: draft.multiChairmen,
  // A kind of question without models of its own is left out: the whole council answers it.
  routing_pools: Object.fromEntries(
    Object.entries(draft.pools).filter(([, models]) => models.length > 0),
  ),
  tier1_models: draft.tier1,
  tier2_models: draft.tier2,
  escalation_confidence_threshold: numberOf(draft.escalateBelowAverage),
  escalation_min_confidence_threshold: numberOf(draft.escalateBelowAny),
  escalation_agreement_threshold: numberOf(draft.escalateBelowAgreement),
  // Empty takes the model away; null would leave it.
  adversary_model: draft.adversary.trim(),
  default_options: Object.fromEntries(
    Object.entries(draft.byDefault).filter(
      ([name, value]) => value !== defaults[name as keyof Choices],
    ),
  ),
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

/** The messages that belong to exactly this field. */
export const messagesAt = (errors: readonly FieldError[], field: string) =>
  errors.filter((error) => error.field === field).map((error) => error.message);
