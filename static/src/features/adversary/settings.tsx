import { t } from "../../i18n";
import type { SettingsPart } from "../feature";
import { messagesAt, TextField } from "../settings/fields";
import { isModel, modelRule } from "../settings/rules";

export const settings: SettingsPart<{ model: string }> = {
  draftOf: (config) => ({ model: config.adversary_model ?? "" }),
  // Empty takes the model away; null would leave it.
  changeOf: ({ model }) => ({ adversary_model: model.trim() }),
  problems({ model }, _most, say) {
    const text = model.trim();
    if (text && !isModel(text)) say("adversary_model", modelRule(text));
  },
  lead: () =>
    t(
      "Attacks the answer before you see it; when it finds something serious, the chairman revises.",
    ),
  Fields: ({ draft, errors, onChange }) => (
    <TextField
      label={t("Devil’s advocate")}
      hint={t(
        "If empty, the chairman’s first fallback takes this role, or the chairman if there is none.",
      )}
      value={draft.model}
      model
      errors={messagesAt(errors, "adversary_model")}
      onChange={(model) => onChange({ model })}
    />
  ),
};
