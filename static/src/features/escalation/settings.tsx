import { t } from "../../i18n";
import { count } from "../../ui/format";
import { numberOf, numberText } from "../../ui/numbers";
import type { SettingsPart } from "../feature";
import { messagesAt, TextField } from "../settings/fields";
import { ModelListField } from "../settings/model-list";
import { checkModels, checkNumber, leastMembers } from "../settings/rules";

interface Draft {
  tier1: string[];
  tier2: string[];
  /** As typed: what is no number is the server's to refuse. */
  belowAverage: string;
  belowAny: string;
  belowAgreement: string;
}

export const settings: SettingsPart<Draft> = {
  draftOf: (config) => ({
    tier1: config.tier1_models,
    tier2: config.tier2_models,
    belowAverage: numberText(config.escalation_confidence_threshold),
    belowAny: numberText(config.escalation_min_confidence_threshold),
    belowAgreement: numberText(config.escalation_agreement_threshold),
  }),
  changeOf: (draft) => ({
    tier1_models: draft.tier1,
    tier2_models: draft.tier2,
    escalation_confidence_threshold: numberOf(draft.belowAverage),
    escalation_min_confidence_threshold: numberOf(draft.belowAny),
    escalation_agreement_threshold: numberOf(draft.belowAgreement),
  }),
  configOf: ({ tier1, tier2 }) => ({ tier1_models: tier1, tier2_models: tier2 }),
  problems({ tier1, tier2, belowAverage, belowAny, belowAgreement }, most, say) {
    checkModels(say, "tier1_models", tier1, { least: leastMembers, most });
    checkModels(say, "tier2_models", tier2, { least: 1, most });
    if (tier1.length + tier2.length > most) {
      say(
        "tier2_models",
        t("Both tiers together have at most {{most}} models.", { most: count(most) }),
      );
    }
    const twice = tier2.find((model) => tier1.includes(model));
    if (twice) say("tier2_models", t("{{model}} is in the first tier already.", { model: twice }));
    const confidence = { least: 1, most: 10 };
    checkNumber(say, "escalation_confidence_threshold", belowAverage, confidence);
    checkNumber(say, "escalation_min_confidence_threshold", belowAny, {
      ...confidence,
      whole: true,
    });
    checkNumber(say, "escalation_agreement_threshold", belowAgreement, { least: 0, most: 1 });
  },
  lead: (most) =>
    t(
      "The first tier answers and reviews. If it is unsure, the second tier answers as well, and everything is reviewed again. Both tiers together have at most {{most}} models.",
      { most: count(most) },
    ),
  Fields: ({ draft, errors, most, council, onChange }) => (
    <>
      <ModelListField
        field="tier1_models"
        title={t("First tier")}
        hint={t("Quick and inexpensive models, at least two.")}
        none={t("None: the option is not offered.")}
        models={draft.tier1}
        most={most}
        suggested={council}
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
        suggested={council}
        errors={errors}
        onChange={(tier2) => onChange({ tier2 })}
      />
      <div className="field-grid thresholds">
        <TextField
          label={t("Average confidence below")}
          hint={t("1 to 10")}
          numeric
          value={draft.belowAverage}
          errors={messagesAt(errors, "escalation_confidence_threshold")}
          onChange={(belowAverage) => onChange({ belowAverage })}
        />
        <TextField
          label={t("Any confidence below")}
          hint={t("1 to 10, a whole number")}
          numeric
          value={draft.belowAny}
          errors={messagesAt(errors, "escalation_min_confidence_threshold")}
          onChange={(belowAny) => onChange({ belowAny })}
        />
        <TextField
          label={t("Agreement on the best below")}
          hint={t("0 to 1: the share of reviewers who rank the same answer first")}
          numeric
          value={draft.belowAgreement}
          errors={messagesAt(errors, "escalation_agreement_threshold")}
          onChange={(belowAgreement) => onChange({ belowAgreement })}
        />
      </div>
    </>
  ),
};
