import type { OwnPrompt } from "../../api/types";
import { t } from "../../i18n";

/** Which texts the models were asked with that are not the program's, each with its version. */
export function OwnPrompts({ prompts }: { prompts: readonly OwnPrompt[] }) {
  if (prompts.length === 0) return null;
  const named = prompts.map(({ name, version }) => `${name} (${version})`);
  return (
    <p className="quiet">
      {t("With your administrator's own prompts: {{prompts}}.", { prompts: named.join(", ") })}
    </p>
  );
}
