import { useId } from "react";
import type { FieldError } from "../../api/problem";
import { useModels } from "../../api/queries";
import { t } from "../../i18n";
import { passFocusOn } from "../../ui/focus";
import { count } from "../../ui/format";
import { Icon } from "../../ui/icon";
import { CheckField, Errors, messagesAt, modelListId, TextField } from "./fields";
import { newKey, type SettingsDraft } from "./form";

interface Props {
  draft: SettingsDraft;
  errors: readonly FieldError[];
  onChange: (change: Partial<SettingsDraft>) => void;
}

function Fallbacks({ draft, errors, onChange }: Props) {
  const { fallbacks } = draft;
  const id = useId();
  return (
    <fieldset className="fallbacks">
      <legend>{t("If the chairman fails")}</legend>
      <p className="field-hint">
        {t(
          "These are tried in this order; last of all, the member that was ranked best writes the answer.",
        )}
      </p>
      <Errors id={id} messages={messagesAt(errors, "chairman_fallbacks")} />
      {fallbacks.map((fallback, at) => (
        <div key={fallback.key} className="fallback">
          <TextField
            label={t("Fallback {{number}}", { number: count(at + 1) })}
            value={fallback.model}
            model
            errors={messagesAt(errors, `chairman_fallbacks.${at}`)}
            onChange={(model) =>
              onChange({ fallbacks: fallbacks.with(at, { ...fallback, model }) })
            }
          />
          <button
            type="button"
            className="icon-button"
            aria-label={t("Remove fallback {{number}}", { number: count(at + 1) })}
            onClick={(event) => {
              passFocusOn(event.currentTarget.parentElement, "button");
              onChange({ fallbacks: fallbacks.filter((_, index) => index !== at) });
            }}
          >
            <Icon name="trash" />
          </button>
        </div>
      ))}
      <button
        type="button"
        className="quiet-button"
        onClick={() => onChange({ fallbacks: [...fallbacks, { key: newKey(), model: "" }] })}
      >
        <Icon name="plus" />
        {t("Add a fallback")}
      </button>
    </fieldset>
  );
}

export function Roles({ draft, errors, onChange }: Props) {
  const models = useModels();
  return (
    <>
      <datalist id={modelListId}>
        {models.data?.models.map((model) => (
          <option key={model.id} value={model.id}>
            {model.name}
          </option>
        ))}
      </datalist>
      <div className="field-grid">
        <TextField
          label={t("Chairman")}
          hint={t("Writes the final answer.")}
          value={draft.chairman}
          model
          errors={messagesAt(errors, "chairman_model")}
          onChange={(chairman) => onChange({ chairman })}
        />
        <TextField
          label={t("Display name of the chairman")}
          value={draft.chairmanAlias}
          errors={messagesAt(errors, "chairman_alias")}
          onChange={(chairmanAlias) => onChange({ chairmanAlias })}
        />
        <TextField
          label={t("Title model")}
          hint={t("Names conversations; a small, fast one will do.")}
          value={draft.titleModel}
          model
          errors={messagesAt(errors, "title_model")}
          onChange={(titleModel) => onChange({ titleModel })}
        />
        <TextField
          label={t("Utility model")}
          hint={t("Classifies questions and does other small jobs.")}
          value={draft.utilityModel}
          model
          errors={messagesAt(errors, "utility_model")}
          onChange={(utilityModel) => onChange({ utilityModel })}
        />
      </div>
      <Fallbacks draft={draft} errors={errors} onChange={onChange} />
    </>
  );
}

export function Rules({ draft, onChange }: Omit<Props, "errors">) {
  return (
    <>
      <CheckField
        label={t("Members review in character")}
        hint={t("Their system prompts apply to their reviews as well.")}
        checked={draft.promptInReviews}
        onChange={(promptInReviews) => onChange({ promptInReviews })}
      />
      <CheckField
        label={t("The chairman writes in character")}
        hint={t("Where the chairman is also a member with a system prompt.")}
        checked={draft.promptInSynthesis}
        onChange={(promptInSynthesis) => onChange({ promptInSynthesis })}
      />
    </>
  );
}
