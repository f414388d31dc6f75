import type { Ignored } from "../../api/types";
import { t } from "../../i18n";
import { T } from "../../i18n/t";
import { optionOf } from "../options/choices";

function nameOf(field: string): string {
  const option = optionOf(field);
  return option ? t(option.title) : field;
}

/** Options that were switched on and do not apply to this run. */
export function IgnoredOptions({ ignored }: { ignored: readonly Ignored[] }) {
  if (ignored.length === 0) return null;
  return (
    <ul className="run-note" aria-label={t("Options that do not apply")}>
      {ignored.map(({ field, reason }) => (
        <li key={field}>
          <T
            text="{{option}} did not apply: {{reason}}."
            parts={{ option: <strong>{nameOf(field)}</strong>, reason }}
          />
        </li>
      ))}
    </ul>
  );
}
