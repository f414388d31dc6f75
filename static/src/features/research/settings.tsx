import { t } from "../../i18n";
import type { SettingsPart } from "../feature";
import { messagesAt, TextField } from "../settings/fields";
import { isModel, modelRule } from "../settings/rules";

export const settings: SettingsPart<{ model: string }> = {
  draftOf: (config) => ({ model: config.research_model ?? "" }),
  // Empty takes the model away; null would leave it.
  changeOf: ({ model }) => ({ research_model: model.trim() }),
  problems({ model }, _most, say) {
    const text = model.trim();
    if (text && !isModel(text)) say("research_model", modelRule(text));
  },
  lead: () => t("Says which topics of a question are searched before the members answer."),
  Fields: ({ draft, errors, onChange }) => (
    <TextField
      label={t("Research model")}
      hint={t("If empty, the utility model does it.")}
      value={draft.model}
      model
      errors={messagesAt(errors, "research_model")}
      onChange={(model) => onChange({ model })}
    />
  ),
};
