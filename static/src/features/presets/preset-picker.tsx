import type { Preset } from "../../api/types";

interface Props {
  presets: readonly Preset[];
  chosen: string | null;
  onChange: (id: string | null) => void;
}

/** Asks another council than that of the settings: one saved with its options under a name. */
export function PresetPicker({ presets, chosen, onChange }: Props) {
  return (
    <select
      className={chosen === null ? "chip" : "chip chip-chosen"}
      aria-label="Council to ask"
      value={chosen ?? ""}
      onChange={(event) => onChange(event.target.value || null)}
    >
      <option value="">Your council</option>
      {presets.map((preset) => (
        <option key={preset.id} value={preset.id}>
          {preset.name}
          {preset.shared ? " (shared)" : ""}
        </option>
      ))}
    </select>
  );
}
