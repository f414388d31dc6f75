import type { FieldError } from "../../api/problem";
import type { Config } from "../../api/types";
import { t } from "../../i18n";
import OptionList from "../options/option-list";
import { Errors, LongTextField, messagesAt } from "./fields";
import { configOf, type SettingsDraft } from "./form";

interface Props {
  draft: SettingsDraft;
  config: Config;
  errors: readonly FieldError[];
  onChange: (change: Partial<SettingsDraft>) => void;
}

/** What a question is asked with where nothing else is chosen. */
export function ByDefault({ draft, config, errors, onChange }: Props) {
  const wrong = errors.filter(
    ({ field }) =>
      /^default_options(\.|$)/.test(field) && field !== "default_options.system_prompt",
  );
  return (
    <section
      className="panel"
      id="default-options"
      tabIndex={-1}
      data-invalid={wrong.length > 0 || undefined}
      aria-labelledby="default-options-title"
    >
      <h2 id="default-options-title">{t("Default options")}</h2>
      <p className="panel-lead">{t("Every new question begins with these.")}</p>
      <Errors id="default-options-error" messages={wrong.map(({ message }) => message)} />
      <OptionList
        scene={{ choices: draft.byDefault, config: configOf(draft, config) }}
        onChange={(choice) => onChange({ byDefault: { ...draft.byDefault, ...choice } })}
      />
      <LongTextField
        label={t("Default system prompt")}
        hint={t(
          "For every question without a system prompt of its own. Members that have one keep theirs.",
        )}
        placeholder={t("For example: Answer in German, in three sentences at most.")}
        value={draft.promptByDefault}
        errors={messagesAt(errors, "default_options.system_prompt")}
        onChange={(promptByDefault) => onChange({ promptByDefault })}
      />
    </section>
  );
}
