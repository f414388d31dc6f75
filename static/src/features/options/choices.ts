/** What a person chose for the next run, under the names the server knows, and what of it is sent. */
import type { Ask, Config, Preset } from "../../api/types";
import { msg, t } from "../../i18n";

/** The options that are on or off. */
export type Toggle =
  | "use_cot"
  | "use_dynamic_routing"
  | "use_escalation"
  | "use_weighted_consensus"
  | "use_early_consensus"
  | "use_multi_chairman"
  | "use_refinement"
  | "use_adversary";

export type Choices = Record<Toggle, boolean> & {
  refinement_max_iterations: number;
  /** The reviews begin when so many have answered; null is all. */
  quorum: number | null;
  straggler_grace_ms: number;
  /** 0 nothing, 1 stages, 2 models as well, 3 everything. */
  verbosity: number;
};

export const defaults: Choices = {
  use_cot: false,
  use_dynamic_routing: false,
  use_escalation: false,
  use_weighted_consensus: true,
  use_early_consensus: false,
  use_multi_chairman: false,
  use_refinement: false,
  refinement_max_iterations: 2,
  use_adversary: false,
  quorum: null,
  straggler_grace_ms: 0,
  verbosity: 0,
};

export const mostRounds = 5;

/** Texts of the catalogue. */
export const names: Record<Toggle, string> = {
  use_cot: msg("Step by step"),
  use_dynamic_routing: msg("Routing"),
  use_escalation: msg("Escalation"),
  use_weighted_consensus: msg("Weighted votes"),
  use_early_consensus: msg("Early consensus"),
  use_multi_chairman: msg("Several chairmen"),
  use_refinement: msg("Refinement"),
  use_adversary: msg("Devil’s advocate"),
};

const whole = (value: unknown, low: number, high: number): value is number =>
  typeof value === "number" && Number.isInteger(value) && value >= low && value <= high;

/** What somebody wrote down of choices, by whatever release: what is not right is left out. */
export function readChoices(kept: unknown): Partial<Choices> {
  const given = (typeof kept === "object" && kept !== null ? kept : {}) as Record<string, unknown>;
  const choices: Partial<Choices> = {};
  for (const name of Object.keys(names) as Toggle[]) {
    if (typeof given[name] === "boolean") choices[name] = given[name];
  }
  const { refinement_max_iterations: rounds, quorum, straggler_grace_ms, verbosity } = given;
  if (whole(rounds, 1, mostRounds)) choices.refinement_max_iterations = rounds;
  if (quorum === null || whole(quorum, 1, 7)) choices.quorum = quorum;
  if (whole(straggler_grace_ms, 0, 600_000)) choices.straggler_grace_ms = straggler_grace_ms;
  if (whole(verbosity, 0, 3)) choices.verbosity = verbosity;
  return choices;
}

/** What the next run will be asked with. */
export interface Scene {
  /** What was chosen, on top of what holds without a choice. */
  choices: Choices;
  /** What the server takes where a request says nothing: by the preset, else by the settings. */
  base: Choices;
  /** The council that will answer; undefined until it is known. */
  config: Config | undefined;
  preset: Preset | null;
}

export function sceneOf(
  own: Partial<Choices>,
  config: Config | undefined,
  preset: Preset | null = null,
): Scene {
  const base = { ...defaults, ...readChoices(preset ? preset.options : config?.default_options) };
  const changes = Object.entries(preset?.settings ?? {}).filter(([, value]) => value !== null);
  return {
    choices: { ...base, ...own },
    base,
    config: config && { ...config, ...Object.fromEntries(changes) },
    preset,
  };
}

export interface Obstacle {
  reason: string;
  /** Where in the settings it can be mended. */
  settings: string | null;
}

/** Why an option cannot be used now; null when it can. */
export function obstacle(name: Toggle, { choices, config }: Omit<Scene, "base" | "preset">) {
  if (!config) return null;
  const scene = { choices, config };
  const none = (reason: string, settings: string | null): Obstacle => ({ reason, settings });
  switch (name) {
    case "use_dynamic_routing":
      if (Object.values(config.routing_pools).some((models) => models.length > 1)) return null;
      return none(t("No kind of question has two models of its own."), "routing");
    case "use_escalation":
      if (config.tier1_models.length === 0 || config.tier2_models.length === 0) {
        return none(t("Two tiers of models are needed."), "escalation");
      }
      if (choices.use_dynamic_routing && !obstacle("use_dynamic_routing", scene)) {
        return none(t("Routing chooses the members already."), null);
      }
      return null;
    case "use_multi_chairman":
      if (config.multi_chairman_models.length > 0) return null;
      return none(t("No drafting chairmen are set."), "chairmen");
    case "use_cot":
    case "use_weighted_consensus":
    case "use_early_consensus":
    case "use_refinement":
    case "use_adversary":
      return null;
  }
}

/** The choices that will count: what cannot be used stays chosen, for when it can. */
export function effective(scene: Omit<Scene, "base" | "preset">): Choices {
  const result = { ...scene.choices };
  for (const name of Object.keys(names) as Toggle[]) {
    if (result[name] && obstacle(name, scene)) result[name] = false;
  }
  const members = scene.config?.council_models.length ?? Number.POSITIVE_INFINITY;
  if (result.quorum !== null && result.quorum >= members) result.quorum = null;
  return result;
}

/** The part of a request that the choices make: what the server would not take by itself. */
export function toAsk(scene: Scene): Partial<Ask> {
  const { base, config, preset } = scene;
  const counting = effective(scene);
  const ask: Partial<Ask> = preset ? { preset_id: preset.id } : {};
  for (const name of Object.keys(names) as Toggle[]) {
    if (counting[name] !== base[name]) ask[name] = counting[name];
  }
  const { refinement_max_iterations: rounds, straggler_grace_ms: grace } = counting;
  // A number without its option would say nothing.
  if (counting.use_refinement && rounds !== base.refinement_max_iterations) {
    ask.refinement_max_iterations = rounds;
  }
  if (counting.quorum !== base.quorum) {
    // Nothing said would be the base's again: all members are a number too.
    const quorum = counting.quorum ?? config?.council_models.length;
    if (quorum !== undefined) ask.quorum = quorum;
  }
  if (counting.quorum !== null && grace !== base.straggler_grace_ms) ask.straggler_grace_ms = grace;
  if (counting.verbosity !== base.verbosity) ask.verbosity = counting.verbosity;
  return ask;
}

/** Everything that counts beyond a plain run, in words short enough for a chip. */
export function chosen(
  scene: Scene,
): { key: keyof Choices; text: string; off: Partial<Choices> }[] {
  const counting = effective(scene);
  const list: { key: keyof Choices; text: string; off: Partial<Choices> }[] = [];
  for (const name of Object.keys(names) as Toggle[]) {
    if (counting[name] === defaults[name]) continue;
    const rounds = counting.refinement_max_iterations;
    const text =
      name === "use_weighted_consensus"
        ? t("Unweighted votes")
        : name === "use_refinement" && rounds > 1
          ? t("Refinement ×{{rounds}}", { rounds })
          : t(names[name]);
    list.push({ key: name, text, off: { [name]: defaults[name] } });
  }
  if (counting.quorum !== null) {
    const text = t("First {{count, number}} answers", { count: counting.quorum });
    list.push({ key: "quorum", text, off: { quorum: null } });
  }
  if (counting.verbosity > 0) {
    const text = t("Process detail {{level}}", { level: counting.verbosity });
    list.push({ key: "verbosity", text, off: { verbosity: 0 } });
  }
  return list;
}
