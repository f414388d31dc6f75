import type { FieldError } from "../../api/problem";
import { t } from "../../i18n";
import { councilOf, type SettingsDraft } from "./form";
import { parts } from "./parts";

interface Props {
  draft: SettingsDraft;
  errors: readonly FieldError[];
  most: number;
  onChange: (change: Partial<SettingsDraft>) => void;
}

/** What is set for the options, in a section for each that has something to set. */
export function FeatureParts({ draft, errors, most, onChange }: Props) {
  const council = councilOf(draft);
  return parts.map(({ name, title, part }) => (
    <section key={name} className="panel" id={name} aria-labelledby={`${name}-title`}>
      <h2 id={`${name}-title`}>{t(title)}</h2>
      <p className="panel-lead">{part.lead(most)}</p>
      <part.Fields
        draft={draft.parts[name] ?? {}}
        errors={errors}
        most={most}
        council={council}
        onChange={(change) =>
          onChange({ parts: { ...draft.parts, [name]: { ...draft.parts[name], ...change } } })
        }
      />
    </section>
  ));
}
