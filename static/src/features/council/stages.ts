/** The stages of a run: those that every council has, and what its features add. */
import type { Stage } from "../../api/types";
import { msg } from "../../i18n";
import { features } from "..";
import type { FeatureStage } from "../feature";
import type { Listed } from "../list";

const acts = {
  stage1: msg("Answers"),
  stage2: msg("Reviews"),
  stage3: msg("Final answer"),
  title: msg("Title"),
} satisfies Partial<Record<Stage, string>>;

type KeyOf<F> =
  | (F extends { stage: { key: infer Key } } ? Key : never)
  | (F extends { format: { stages: readonly { key: infer Key }[] } } ? Key : never);

/** Stages of the server without a name: none. A new one does not compile until it has one. */
const nameless: Record<Exclude<Stage, keyof typeof acts | KeyOf<Listed>>, never> = {};
void nameless;

/** The stages of features that come at this place among those of every council. */
export const stagesAt = (place: FeatureStage["place"]): (FeatureStage & { title: string })[] =>
  features.flatMap(({ stage, title }) => (stage?.place === place ? [{ ...stage, title }] : []));

const named = (place: FeatureStage["place"]) =>
  stagesAt(place).map(({ key, title }) => [key, title] as const);

const ofFormats = features.flatMap(({ format }) =>
  (format?.stages ?? []).map(({ key, title }) => [key, title] as const),
);

/** Their names in the order of a run, to be translated. */
export const stageNames: readonly (readonly [Stage, string])[] = [
  ...named("first"),
  ["stage1", acts.stage1],
  ...ofFormats,
  ["stage2", acts.stage2],
  ...named("middle"),
  ["stage3", acts.stage3],
  ...named("last"),
  ["title", acts.title],
];
