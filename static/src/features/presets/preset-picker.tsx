import type { Preset } from "../../api/types";
import { t } from "../../i18n";

interface Props {
  presets: readonly Preset[];
  chosen: string | null;
  /** Who is asked where none is chosen. */
  usual: string;
  onChange: (id: string | null) => void;
}

/** Asks another council than that of the settings: one saved with its options under a name. */
export function PresetPicker({ presets, chosen, usual, onChange }: Props) {
  return (
    <select
      className={chosen === null ? "chip" : "chip chip-chosen"}
      aria-label={t("Council to ask")}
      value={chosen ?? ""}
      onChange={(event) => onChange(event.target.value || null)}
    >
      <option value="">{usual}</option>
      {presets.map((preset) => (
        <option key={preset.id} value={preset.id}>
          {preset.shared ? t("{{preset}} (shared)", { preset: preset.name }) : preset.name}
        </option>
      ))}
    </select>
  );
}
