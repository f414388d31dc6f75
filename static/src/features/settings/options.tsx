import type { FieldError } from "../../api/problem";
import type { Config } from "../../api/types";
import { t } from "../../i18n";
import { count } from "../../ui/format";
import OptionList from "../options/option-list";
import { Errors, TextField } from "./fields";
import { categories, configOf, messagesAt, type SettingsDraft } from "./form";
import { ModelListField } from "./model-list";

interface Props {
  draft: SettingsDraft;
  errors: readonly FieldError[];
  most: number;
  onChange: (change: Partial<SettingsDraft>) => void;
}

const councilOf = (draft: SettingsDraft) => [
  ...new Set(draft.seats.map((seat) => seat.model.trim()).filter(Boolean)),
];

function Chairmen({ draft, errors, most, onChange }: Props) {
  return (
    <section className="panel" id="chairmen" aria-labelledby="chairmen-title">
      <h2 id="chairmen-title">{t("Several chairmen")}</h2>
      <p className="panel-lead">
        {t(
          "Each writes a draft of the final answer; the chairman judges them and writes the answer from the best.",
        )}
      </p>
      <ModelListField
        field="multi_chairman_models"
        title={t("Drafting chairmen")}
        hint={t("Two at least, in the order of their labels A, B, C…")}
        none={t("None: the option is not offered.")}
        models={draft.multiChairmen}
        most={most}
        suggested={councilOf(draft)}
        errors={errors}
        onChange={(multiChairmen) => onChange({ multiChairmen })}
      />
    </section>
  );
}

function Routing({ draft, errors, most, onChange }: Props) {
  return (
    <section className="panel" id="routing" aria-labelledby="routing-title">
      <h2 id="routing-title">{t("Routing")}</h2>
      <p className="panel-lead">
        {t(
          "The utility model says what kind of question it is, and the models for that kind answer it.",
        )}
      </p>
      {categories.map(([category, title, hint]) => (
        <ModelListField
          key={category}
          field={`routing_pools.${category}`}
          title={t(title)}
          hint={t(hint)}
          none={t("None: the whole council answers.")}
          models={draft.pools[category]}
          most={most}
          suggested={councilOf(draft)}
          errors={errors}
          onChange={(models) => onChange({ pools: { ...draft.pools, [category]: models } })}
        />
      ))}
    </section>
  );
}

function Escalation({ draft, errors, most, onChange }: Props) {
  return (
    <section className="panel" id="escalation" aria-labelledby="escalation-title">
      <h2 id="escalation-title">{t("Escalation")}</h2>
      <p className="panel-lead">
        {t(
          "The first tier answers and reviews. If it is unsure, the second tier answers as well, and everything is reviewed again. Both tiers together have at most {{most}} models.",
          { most: count(most) },
        )}
      </p>
      <ModelListField
        field="tier1_models"
        title={t("First tier")}
        hint={t("Quick and inexpensive models; two at least.")}
        none={t("None: the option is not offered.")}
        models={draft.tier1}
        most={most}
        suggested={councilOf(draft)}
        errors={errors}
        onChange={(tier1) => onChange({ tier1 })}
      />
      <ModelListField
        field="tier2_models"
        title={t("Second tier")}
        hint={t("Asked only when the first tier is unsure.")}
        none={t("None: the option is not offered.")}
        models={draft.tier2}
        most={most}
        suggested={councilOf(draft)}
        errors={errors}
        onChange={(tier2) => onChange({ tier2 })}
      />
      <div className="field-grid thresholds">
        <TextField
          label={t("Average confidence below")}
          hint={t("1 to 10")}
          numeric
          value={draft.escalateBelowAverage}
          errors={messagesAt(errors, "escalation_confidence_threshold")}
          onChange={(escalateBelowAverage) => onChange({ escalateBelowAverage })}
        />
        <TextField
          label={t("Any confidence below")}
          hint={t("1 to 10, a whole number")}
          numeric
          value={draft.escalateBelowAny}
          errors={messagesAt(errors, "escalation_min_confidence_threshold")}
          onChange={(escalateBelowAny) => onChange({ escalateBelowAny })}
        />
        <TextField
          label={t("Agreement on the best below")}
          hint={t("0 to 1: the share of reviewers who rank the same answer first")}
          numeric
          value={draft.escalateBelowAgreement}
          errors={messagesAt(errors, "escalation_agreement_threshold")}
          onChange={(escalateBelowAgreement) => onChange({ escalateBelowAgreement })}
        />
      </div>
    </section>
  );
}

/** The models that a run's options ask, and when. */
export function OptionSettings(props: Props) {
  const { draft, errors, onChange } = props;
  return (
    <>
      <Chairmen {...props} />
      <Routing {...props} />
      <Escalation {...props} />
      <section className="panel" id="adversary" aria-labelledby="adversary-title">
        <h2 id="adversary-title">{t("Devil’s advocate")}</h2>
        <p className="panel-lead">
          {t(
            "Attacks the answer before you see it; when it finds something serious, the chairman revises.",
          )}
        </p>
        <TextField
          label={t("Devil’s advocate")}
          hint={t("Empty: the chairman’s first fallback, else the chairman, plays it.")}
          value={draft.adversary}
          model
          errors={messagesAt(errors, "adversary_model")}
          onChange={(adversary) => onChange({ adversary })}
        />
      </section>
    </>
  );
}

/** What a question is asked with where nothing else is chosen. */
export function ByDefault({
  draft,
  config,
  errors,
  onChange,
}: Omit<Props, "most"> & { config: Config }) {
  const wrong = errors.filter(({ field }) => /^default_options(\.|$)/.test(field));
  return (
    <section
      className="panel"
      id="default-options"
      tabIndex={-1}
      data-invalid={wrong.length > 0 || undefined}
      aria-labelledby="default-options-title"
    >
      <h2 id="default-options-title">{t("Options by default")}</h2>
      <p className="panel-lead">{t("Every new question begins with these.")}</p>
      <Errors id="default-options-error" messages={wrong.map(({ message }) => message)} />
      <OptionList
        scene={{ choices: draft.byDefault, config: configOf(draft, config) }}
        onChange={(choice) => onChange({ byDefault: { ...draft.byDefault, ...choice } })}
      />
    </section>
  );
}
