import { Link } from "wouter";
import { t } from "../../i18n";
import type { SettingsPart } from "../feature";
import { CheckField, messagesAt, TextField } from "../settings/fields";
import { isModel, modelRule } from "../settings/rules";
import { keptPath } from "./words";

interface Draft {
  byProvider: boolean;
  model: string;
}

export const settings: SettingsPart<Draft> = {
  draftOf: (config) => ({
    byProvider: config.use_api_embeddings,
    model: config.embedding_model,
  }),
  // Empty takes the model away; null would leave it.
  changeOf: ({ byProvider, model }) => ({
    use_api_embeddings: byProvider,
    embedding_model: model.trim(),
  }),
  problems({ model }, _most, say) {
    const text = model.trim();
    if (text && !isModel(text)) say("embedding_model", modelRule(text));
  },
  lead: () =>
    t(
      "How the server finds out that two questions are much the same. Only questions with this option on are compared.",
    ),
  Fields: ({ draft, errors, onChange }) => (
    <>
      <CheckField
        label={t("Compare by meaning")}
        hint={t(
          "Each question is sent to a provider’s embedding model, for a fraction of a cent. Otherwise the server compares the words itself and finds fewer.",
        )}
        checked={draft.byProvider}
        onChange={(byProvider) => onChange({ byProvider })}
      />
      {draft.byProvider && (
        <TextField
          label={t("Embedding model")}
          hint={t("If empty, the server’s own choice.")}
          value={draft.model}
          errors={messagesAt(errors, "embedding_model")}
          onChange={(model) => onChange({ model })}
        />
      )}
      <p>
        <Link href={keptPath}>{t("Kept answers")}</Link>
      </p>
    </>
  ),
};
