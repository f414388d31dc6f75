import { t } from "../../i18n";
import type { SettingsPart } from "../feature";
import { ModelListField } from "../settings/model-list";
import { checkModels, leastMembers } from "../settings/rules";

export const settings: SettingsPart<{ models: string[] }> = {
  draftOf: (config) => ({ models: config.multi_chairman_models }),
  changeOf: ({ models }) => ({ multi_chairman_models: models }),
  configOf: ({ models }) => ({ multi_chairman_models: models }),
  problems: ({ models }, most, say) =>
    checkModels(say, "multi_chairman_models", models, { least: leastMembers, most }),
  lead: () =>
    t(
      "Each writes a draft of the final answer; the chairman judges them and writes the answer from the best.",
    ),
  Fields: ({ draft, errors, most, council, onChange }) => (
    <ModelListField
      field="multi_chairman_models"
      title={t("Drafting chairmen")}
      hint={t("Two at least, in the order of their labels A, B, C…")}
      none={t("None: the option is not offered.")}
      models={draft.models}
      most={most}
      suggested={council}
      errors={errors}
      onChange={(models) => onChange({ models })}
    />
  ),
};
