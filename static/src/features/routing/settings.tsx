import { msg, t } from "../../i18n";
import type { SettingsPart } from "../feature";
import { ModelListField } from "../settings/model-list";
import { checkModels } from "../settings/rules";
import type { Category } from "./state";

/** In the order they are shown: the name, and what it is. */
const categories: readonly [Category, string, string][] = [
  ["coding", msg("Coding"), msg("Programs, errors, tools.")],
  ["creative", msg("Creative"), msg("Stories, names, slogans.")],
  ["factual", msg("Factual"), msg("Facts: what, when, how much.")],
  ["analysis", msg("Analysis"), msg("Comparing, weighing, deciding.")],
  ["general", msg("General"), msg("Everything else.")],
];

/** The models of each kind of question. */
type Pools = Record<Category, string[]>;

export const settings: SettingsPart<Pools> = {
  draftOf: ({ routing_pools: pools }) => ({
    coding: pools.coding ?? [],
    creative: pools.creative ?? [],
    factual: pools.factual ?? [],
    analysis: pools.analysis ?? [],
    general: pools.general ?? [],
  }),
  // A kind of question without models of its own is left out: the whole council answers it.
  changeOf: (pools) => ({
    routing_pools: Object.fromEntries(
      Object.entries(pools).filter(([, models]) => models.length > 0),
    ),
  }),
  configOf: (pools) => ({ routing_pools: pools }),
  problems(pools, most, say) {
    for (const [category, models] of Object.entries(pools)) {
      checkModels(say, `routing_pools.${category}`, models, { least: 1, most });
    }
  },
  lead: () =>
    t(
      "The utility model says what kind of question it is, and the models for that kind answer it.",
    ),
  Fields: ({ draft, errors, most, council, onChange }) =>
    categories.map(([category, title, hint]) => (
      <ModelListField
        key={category}
        field={`routing_pools.${category}`}
        title={t(title)}
        hint={t(hint)}
        none={t("None: the whole council answers.")}
        models={draft[category]}
        most={most}
        suggested={council}
        errors={errors}
        onChange={(models) => onChange({ [category]: models })}
      />
    )),
};
