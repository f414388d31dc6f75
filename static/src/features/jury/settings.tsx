import type { Config } from "../../api/types";
import { t } from "../../i18n";
import type { SettingsPart } from "../feature";
import { ModelListField } from "../settings/model-list";
import { checkModels } from "../settings/rules";

type Reviewer = Config["reviewer_models"][number];

interface Draft {
  models: string[];
  /** As they were set, with the names and prompts that this form does not show. */
  seats: readonly Reviewer[];
}

/** The reviewers of these models, each as it was set before. */
function seated({ models, seats }: Draft): Reviewer[] {
  const left = [...seats];
  return models.map((model) => {
    const at = left.findIndex((seat) => seat.model === model);
    return (at >= 0 && left.splice(at, 1)[0]) || { model };
  });
}

export const settings: SettingsPart<Draft> = {
  draftOf: ({ reviewer_models: seats }) => ({ models: seats.map(({ model }) => model), seats }),
  changeOf: (draft) => ({ reviewer_models: seated(draft) }),
  configOf: (draft) => ({ reviewer_models: seated(draft) }),
  problems: ({ models }, most, say) =>
    checkModels(say, "reviewer_models", models, { least: 1, most }),
  lead: () =>
    t(
      "These models review the answers in the members’ place. A member among them reviews as one, its own answer included.",
    ),
  Fields: ({ draft, errors, most, council, onChange }) => (
    <ModelListField
      field="reviewer_models"
      title={t("Who reviews")}
      hint={t(
        "One is enough. Models that sit on the council have an answer of their own to judge.",
      )}
      none={t("None: the members review each other.")}
      models={draft.models}
      most={most}
      suggested={council}
      errors={errors}
      onChange={(models) => onChange({ models })}
    />
  ),
};
