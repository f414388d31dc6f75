/** What a person chose for the next run, under the names the server knows, and what of it is sent. */
import type { Ask, Config, Preset } from "../../api/types";
import { msg, t } from "../../i18n";
import type {
  Choices,
  FeatureStart,
  FormatChoice,
  FormatField,
  FormatName,
  OneWay,
  Option,
  Toggle,
  WrittenOption,
} from "../feature";
import { starts } from "../list";

/** The switch of a feature, with what it is a switch of. */
export type NamedOption = Option & Pick<FeatureStart, "name" | "title">;

/** A choice among ways, with what it is a choice of. */
export type NamedWay = OneWay & Pick<FeatureStart, "name" | "title">;

export const ways: readonly NamedWay[] = starts.flatMap(({ name, title, way }) =>
  way ? [{ ...way, name, title }] : [],
);

/** What is written for a question, with what it is for. */
export type NamedWritten = WrittenOption & Pick<FeatureStart, "name" | "title">;

export const writtenOptions: readonly NamedWritten[] = starts.flatMap(({ name, title, written }) =>
  written ? [{ ...written, name, title }] : [],
);

const all: readonly NamedOption[] = starts.flatMap(({ name, title, option }) =>
  option ? [{ ...option, name, title }] : [],
);

/** All of them, in the order of a run. */
export const options: readonly NamedOption[] = (["answers", "reviews", "final"] as const).flatMap(
  (group) => all.filter((option) => option.group === group),
);

/** The format of a question that asks for none. */
export const council: FormatChoice = {
  key: "council",
  title: msg("Council"),
  short: msg("Council"),
  good: msg("Several answers, ranked blind, one written from the best. For most questions."),
  ask: { mode: "council" },
};

export const formats: readonly FormatChoice[] = [
  council,
  ...starts.flatMap((start) => start.formats ?? []),
];

const namesOf = ({ ask }: FormatChoice) => Object.entries(ask) as [FormatName, string][];
const formatFields: readonly FormatField[] = formats.flatMap(({ fields = [] }) => fields);

/** The format that these choices ask for. */
export const formatIn = (choices: Choices): FormatChoice =>
  formats.find((format) => namesOf(format).every(([name, value]) => choices[name] === value)) ??
  council;

/** The formats that this server has; all as long as that is not known. */
export const formatsOf = (config: Config | undefined): readonly FormatChoice[] =>
  formats.filter(({ ask }) => !config || !ask.mode || config.modes.includes(ask.mode));

/** Whether the council answers, or may. */
export const mayBeCouncil = (choices: Choices): boolean => {
  const format = formatIn(choices);
  return format === council || format.mayBeCouncil === true;
};

export const defaults: Choices = {
  // Of several formats that share a name the first is meant where nobody says which.
  ...Object.assign({}, ...formats.toReversed().map(({ ask }) => ask)),
  ...Object.fromEntries(formatFields.map(({ field, byDefault }) => [field, byDefault])),
  ...Object.fromEntries(options.map(({ field, byDefault = false }) => [field, byDefault])),
  ...Object.fromEntries(
    options.flatMap(({ amount }) => (amount ? [[amount.field, amount.byDefault]] : [])),
  ),
  ...Object.fromEntries(options.flatMap(({ way }) => (way ? [[way.field, way.byDefault]] : []))),
  ...Object.fromEntries(ways.map(({ field, byDefault }) => [field, byDefault])),
  ...Object.fromEntries(writtenOptions.map(({ field }) => [field, null])),
  quorum: null,
  straggler_grace_ms: 0,
  reviews_per_answer: null,
  verbosity: 0,
};

/** What people call the option of a field; the field where this page knows none. */
export function titleOf(field: string): string {
  const known =
    options.find(({ field: own, amount, way }) =>
      [own, amount?.field, way?.field].includes(field as Toggle),
    ) ??
    ways.find((way) => way.field === field) ??
    writtenOptions.find((written) => written.field === field) ??
    formatFields.find((one) => one.field === field);
  return known ? t(known.title) : field;
}

/** The option of a field; null where this page knows none. */
export const optionOf = (field: string): NamedOption | null =>
  options.find((option) => option.field === field) ?? null;

const whole = (value: unknown, low: number, high: number): value is number =>
  typeof value === "number" && Number.isInteger(value) && value >= low && value <= high;

/** Whether an option comes in this number. */
const comesIn = (
  { least, most, fraction }: NonNullable<Option["amount"]>,
  value: unknown,
): value is number =>
  fraction
    ? typeof value === "number" && value >= least && value <= most
    : whole(value, least, most);

/** How many review: the reviewers that are set, or else the members. */
export const reviewersOf = (config: Config | undefined) =>
  config && (config.reviewer_models.length || config.council_models.length);

/** Whether a format's field takes this. */
function takes(field: FormatField, value: unknown): boolean {
  switch (field.kind) {
    case "flag":
      return typeof value === "boolean";
    case "amount":
      return whole(value, field.least, field.most);
    case "way":
      return field.values.some((one) => one.value === value);
  }
}

/** Stored choices, written by whatever release: what is not right is left out. */
export function readChoices(kept: unknown): Partial<Choices> {
  const given = (typeof kept === "object" && kept !== null ? kept : {}) as Record<string, unknown>;
  const choices: Partial<Choices> = {};
  for (const { field, amount, way } of options) {
    const [on, much] = [given[field], amount && given[amount.field]];
    if (typeof on === "boolean") choices[field] = on;
    if (amount && comesIn(amount, much)) choices[amount.field] = much;
    const how = way?.values.find((value) => value === given[way.field]);
    if (way && how !== undefined) Object.assign(choices, { [way.field]: how });
  }
  for (const { field, values } of ways) {
    const known = values.find(({ value }) => value === given[field]);
    if (known) Object.assign(choices, { [field]: known.value });
  }
  for (const { field, read } of writtenOptions) {
    const value = given[field] === null ? null : read(given[field]);
    if (value !== undefined) choices[field] = value;
  }
  for (const [name, value] of formats.flatMap(namesOf)) {
    if (given[name] === value) choices[name] = value;
  }
  for (const one of formatFields) {
    const value = given[one.field];
    if (takes(one, value)) Object.assign(choices, { [one.field]: value });
  }
  const { quorum, straggler_grace_ms, reviews_per_answer, verbosity } = given;
  if (quorum === null || whole(quorum, 1, 7)) choices.quorum = quorum;
  if (whole(straggler_grace_ms, 0, 600_000)) choices.straggler_grace_ms = straggler_grace_ms;
  if (reviews_per_answer === null || whole(reviews_per_answer, 1, 7)) {
    choices.reviews_per_answer = reviews_per_answer;
  }
  if (whole(verbosity, 0, 3)) choices.verbosity = verbosity;
  return choices;
}

/** Without what was written for one question alone: that goes with it. */
export function lasting(choices: Partial<Choices>): Partial<Choices> {
  const rest = { ...choices };
  for (const { field, once } of writtenOptions) {
    const value = rest[field];
    if (value && once(value)) delete rest[field];
  }
  return rest;
}

/** What a question has that was written for it alone. */
export function writtenIn(asked: Partial<Ask> | Partial<Choices>): Partial<Choices> {
  const written: Partial<Choices> = {};
  for (const { field, once, read } of writtenOptions) {
    const value = read(asked[field]);
    if (value && once(value)) written[field] = value;
  }
  return written;
}

/** What the server takes where a request says nothing, by these settings or by a preset on top of them. */
export function byDefaultIn(config: Config | undefined, preset: Preset | null = null): Choices {
  const older = ways.map(({ field, ofSettings }) => [
    field,
    config && ofSettings?.(config, preset),
  ]);
  return {
    ...defaults,
    ...Object.fromEntries(older.filter(([, value]) => value !== undefined)),
    ...readChoices(preset ? preset.options : config?.default_options),
  };
}

/** Whether default options have to say it, since the server would take something else by itself. */
const mustBeSaid = (name: string, choices: Choices) =>
  ways.some(({ field, ofSettings }) => field === name && ofSettings) ||
  options.some(({ field, way }) => way?.field === name && choices[field]);

/** The default options of the settings that these choices are: what differs from a plain run. */
export const toDefaultOptions = (choices: Choices): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(choices).filter(
      ([name, value]) => value !== defaults[name as keyof Choices] || mustBeSaid(name, choices),
    ),
  );

/** The system prompt that these default options give a question without one; empty where they have none. */
export function promptOf(options: Readonly<Record<string, unknown>> | undefined): string {
  const prompt = options?.system_prompt;
  return typeof prompt === "string" ? prompt : "";
}

/** The default options that no choice of this page stands for. */
export const othersOf = (options: Readonly<Record<string, unknown>> | undefined) =>
  Object.fromEntries(
    Object.entries(options ?? {}).filter(
      ([name]) => !(name in defaults) && name !== "system_prompt",
    ),
  );

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
  const changes = Object.entries(preset?.settings ?? {}).filter(([, value]) => value !== null);
  const asked = config && { ...config, ...Object.fromEntries(changes) };
  const without = byDefaultIn(asked, preset);
  const named = { ...without, ...own };
  const isOffered = formatsOf(asked).includes(formatIn(named));
  const ask = isOffered ? {} : council.ask;
  const said = readChoices(preset ? preset.options : config?.default_options);
  const chosenFormat = formatIn({ ...named, ...ask });
  const ofFormat = (chosenFormat.alsoOn ?? []).filter(
    (field) => asked && !(field in said) && !optionOf(field)?.obstacle?.(asked),
  );
  const alone = { ...without, ...Object.fromEntries(ofFormat.map((field) => [field, true])) };
  const unsaid = options.flatMap(({ way }) => (way && !(way.field in said) ? [way] : []));
  return {
    choices: { ...alone, ...own, ...ask },
    base: {
      ...alone,
      ...Object.fromEntries(unsaid.map(({ field, byServer }) => [field, byServer])),
    },
    config: asked,
    preset,
  };
}

export interface Obstacle {
  reason: string;
  /** Where in the settings it can be mended. */
  settings: string | null;
}

/** Whether an option or a way has a meaning in the format that is chosen. */
const applies = ({ everyFormat }: { everyFormat?: true }, choices: Choices) =>
  everyFormat === true || mayBeCouncil(choices);

/** Why what belongs to the council has nothing to do now; null where it has. */
export const formatObstacle = (of: { everyFormat?: true }, choices: Choices): Obstacle | null =>
  applies(of, choices)
    ? null
    : {
        reason: t("Only in the council; chosen is {{format}}.", {
          format: t(formatIn(choices).title),
        }),
        settings: null,
      };

/** Why an option cannot be used now; null when it can. */
export function obstacle(
  field: Toggle,
  { choices, config }: Omit<Scene, "base" | "preset">,
): Obstacle | null {
  const option = optionOf(field);
  if (!option) return null;
  const ofFormat = formatObstacle(option, choices);
  if (ofFormat) return ofFormat;
  for (const { field: way, group, values } of ways) {
    const alone = values.find(({ value }) => value === choices[way])?.alone;
    if (alone && group === option.group) return { reason: t(alone), settings: null };
  }
  if (!config) return null;
  const reason = option.obstacle?.(config);
  if (reason) return { reason, settings: option.isForServer ? null : option.name };
  if (!option.choosesMembers) return null;
  for (const other of options.slice(0, options.indexOf(option))) {
    const isOn = choices[other.field] && !obstacle(other.field, { choices, config });
    if (isOn && typeof other.choosesMembers === "string") {
      return { reason: t(other.choosesMembers), settings: null };
    }
  }
  return null;
}

/** The choices that will count: what cannot be used stays chosen, for when it can. */
export function effective(scene: Omit<Scene, "base" | "preset">): Choices {
  const result = { ...scene.choices };
  for (const { field } of options) {
    if (result[field] && obstacle(field, scene)) result[field] = false;
  }
  if (!mayBeCouncil(result)) result.quorum = null;
  const members = scene.config?.council_models.length ?? Number.POSITIVE_INFINITY;
  if (result.quorum !== null && result.quorum >= members) result.quorum = null;
  const reviewers = reviewersOf(scene.config) ?? Number.POSITIVE_INFINITY;
  if (result.reviews_per_answer !== null && result.reviews_per_answer >= reviewers) {
    result.reviews_per_answer = null;
  }
  return result;
}

/** The part of a request that the choices make: what the server would not take by itself. */
export function toAsk(scene: Scene): Partial<Ask> {
  const { base, config, preset } = scene;
  const counting = effective(scene);
  const ask: Partial<Ask> = preset ? { preset_id: preset.id } : {};
  const format = formatIn(counting);
  if (format !== formatIn(base)) Object.assign(ask, format.ask);
  for (const { field } of format.fields ?? []) {
    if (counting[field] !== base[field]) Object.assign(ask, { [field]: counting[field] });
  }
  // What the format has no use for is not said: the server would tell that it did not apply.
  for (const option of options.filter((one) => applies(one, counting))) {
    const { field, amount, way } = option;
    if (counting[field] !== base[field]) ask[field] = counting[field];
    // A number or a way without its option would say nothing.
    if (amount && counting[field] && counting[amount.field] !== base[amount.field]) {
      ask[amount.field] = counting[amount.field];
    }
    if (way && counting[field] && counting[way.field] !== base[way.field]) {
      Object.assign(ask, { [way.field]: counting[way.field] });
    }
  }
  for (const { field } of ways.filter((one) => applies(one, counting))) {
    if (counting[field] !== base[field]) Object.assign(ask, { [field]: counting[field] });
  }
  for (const { field, none } of writtenOptions.filter((one) => applies(one, counting))) {
    const [own, without] = [counting[field] ?? null, base[field] ?? null];
    // What is kept is read anew: it is the same where it says the same.
    if (JSON.stringify(own) !== JSON.stringify(without)) ask[field] = own ?? none;
  }
  if (mayBeCouncil(counting) && counting.quorum !== base.quorum) {
    // Saying nothing would mean the base's again, so all members are said as a number.
    const quorum = counting.quorum ?? config?.council_models.length;
    if (quorum !== undefined) ask.quorum = quorum;
  }
  if (counting.reviews_per_answer !== base.reviews_per_answer) {
    const reviews = counting.reviews_per_answer ?? reviewersOf(config);
    if (reviews !== undefined) ask.reviews_per_answer = reviews;
  }
  const { straggler_grace_ms: grace } = counting;
  if (counting.quorum !== null && grace !== base.straggler_grace_ms) ask.straggler_grace_ms = grace;
  if (counting.verbosity !== base.verbosity) ask.verbosity = counting.verbosity;
  return ask;
}

interface Chip {
  /** The first of the fields that it stands for. */
  key: keyof Choices;
  text: string;
  /** What takes it back. */
  off: Partial<Choices>;
  /** What was written for the question, which goes with it. */
  wrote?: Partial<Choices>;
}

/** Everything that counts beyond a plain run, in words short enough for a chip. */
export function chosen(scene: Scene): Chip[] {
  const counting = effective(scene);
  const chips: Chip[] = [];
  const format = formatIn(counting);
  if (format !== council) chips.push({ key: "mode", text: t(format.title), off: council.ask });
  for (const one of format.fields ?? []) {
    const value = counting[one.field];
    if (value === undefined || value === one.byDefault) continue;
    const text = one.kind === "amount" ? one.chip(Number(value)) : t(one.chip);
    chips.push({ key: one.field, text, off: { [one.field]: one.byDefault } });
  }
  for (const { field, title, chip } of options.filter((one) => applies(one, counting))) {
    if (counting[field] === defaults[field]) continue;
    const text = chip?.(counting) ?? t(title);
    chips.push({ key: field, text, off: { [field]: defaults[field] } });
  }
  for (const { field, values, byDefault } of ways.filter((one) => applies(one, counting))) {
    const value = values.find((one) => one.value === counting[field]);
    if (!value || value.value === byDefault) continue;
    chips.push({ key: field, text: t(value.chip ?? value.text), off: { [field]: byDefault } });
  }
  for (const { field, chip, once } of writtenOptions.filter((one) => applies(one, counting))) {
    const value = counting[field];
    if (!value) continue;
    chips.push({
      key: field,
      text: chip(value),
      off: { [field]: null },
      ...(once(value) && { wrote: { [field]: value } }),
    });
  }
  if (counting.quorum !== null) {
    const text = t("First {{count, number}} answers", { count: counting.quorum });
    chips.push({ key: "quorum", text, off: { quorum: null } });
  }
  if (counting.reviews_per_answer !== null) {
    const text = t("{{count, number}} reviewers", { count: counting.reviews_per_answer });
    chips.push({ key: "reviews_per_answer", text, off: { reviews_per_answer: null } });
  }
  if (counting.verbosity > 0) {
    const text = t("Process detail {{level}}", { level: counting.verbosity });
    chips.push({ key: "verbosity", text, off: { verbosity: 0 } });
  }
  return chips;
}
