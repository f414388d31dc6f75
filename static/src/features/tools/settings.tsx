import { t } from "../../i18n";
import { numberOf, numberText } from "../../ui/numbers";
import type { SettingsPart } from "../feature";
import { messagesAt, TextField } from "../settings/fields";
import { checkNumber } from "../settings/rules";

export const settings: SettingsPart<{ rounds: string }> = {
  draftOf: (config) => ({ rounds: numberText(config.tools_max_rounds) }),
  changeOf: ({ rounds }) => ({ tools_max_rounds: numberOf(rounds) }),
  problems: ({ rounds }, _most, say) =>
    checkNumber(say, "tools_max_rounds", rounds, { least: 1, most: 10, whole: true }),
  lead: () => t("Members that search go back and forth between searching and writing."),
  Fields: ({ draft, errors, onChange }) => (
    <div className="field-grid">
      <TextField
        label={t("Rounds of searches at most")}
        hint={t("1 to 10, a whole number; each round is one more call of the member.")}
        numeric
        value={draft.rounds}
        errors={messagesAt(errors, "tools_max_rounds")}
        onChange={(rounds) => onChange({ rounds })}
      />
    </div>
  ),
};
