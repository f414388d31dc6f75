/** What the providers offer, in the order in which it is chosen from. */
import type { Model, ModelList } from "../../api/types";

/** Past this a search is quicker than scrolling, also for the browser. */
const shownAtMost = 500;

export interface Group {
  name: string;
  models: readonly Model[];
  /** Why the provider's list could not be read; null where it could. */
  problem: string | null;
}

export interface Offers {
  /** By provider where there are several, otherwise by family. */
  groups: readonly Group[];
  /** How many were found, and how many of them are in the groups. */
  found: number;
  shown: number;
}

const texts = new WeakMap<Model, string>();

/** What a search looks in. */
function textOf(model: Model): string {
  const known = texts.get(model);
  if (known !== undefined) return known;
  const text = `${model.name} ${model.id} ${model.provider} ${model.family}`.toLowerCase();
  texts.set(model, text);
  return text;
}

/** The models with all words of the query in them, in any order. */
export function findModels(models: readonly Model[], query: string): readonly Model[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return models;
  return models.filter((model) => words.every((word) => textOf(model).includes(word)));
}

function grouped(models: readonly Model[], by: "provider" | "family"): Map<string, Model[]> {
  const groups = new Map<string, Model[]>();
  for (const model of models) {
    const group = groups.get(model[by]);
    if (group) group.push(model);
    else groups.set(model[by], [model]);
  }
  return groups;
}

/** The models but for those of other regions than this one, where a region is known. */
export function inRegion(models: readonly Model[], region: string | null): readonly Model[] {
  if (region === null) return models;
  return models.filter((model) => (model.region ?? region) === region);
}

/** What of the list a query finds. A provider whose list failed is named whatever is looked for. */
export function offersIn(list: ModelList, query: string, region: string | null = null): Offers {
  const { errors } = list;
  const models = inRegion(list.models, region);
  const found = findModels(models, query);
  const shown = found.slice(0, shownAtMost);
  const problems = new Map(errors.map(({ provider, message }) => [provider, message]));
  const providers = new Set([...models.map(({ provider }) => provider), ...problems.keys()]);
  const sums = { found: found.length, shown: shown.length };
  if (providers.size < 2 && problems.size === 0) {
    const families = [...grouped(shown, "family")].sort(([a], [b]) => a.localeCompare(b));
    return { ...sums, groups: families.map(([name, models]) => ({ name, models, problem: null })) };
  }
  const byProvider = grouped(shown, "provider");
  const groups = [...providers].map((name) => ({
    name,
    models: (byProvider.get(name) ?? []).toSorted((a, b) => a.family.localeCompare(b.family)),
    problem: problems.get(name) ?? null,
  }));
  const filled = groups.filter(({ models }) => models.length > 0);
  const failed = groups.filter(({ models, problem }) => models.length === 0 && problem !== null);
  // Whoever looks through the list is told before hundreds of others, who searches is told last.
  return { ...sums, groups: query.trim() ? [...filled, ...failed] : [...failed, ...filled] };
}
