/** A model in the place of another, wherever the settings name it. */
import type { Config, ConfigChange } from "../../api/types";
import { changeOf, draftOf, type SettingsDraft } from "../settings/form";

function mapped<T>(value: T, from: string, to: string): T {
  if (typeof value === "string") return (value.trim() === from ? to : value) as T;
  if (Array.isArray(value)) return value.map((one) => mapped(one, from, to)) as T;
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([name, one]) => [name, mapped(one, from, to)]);
  return Object.fromEntries(entries) as T;
}

/** The draft with `to` wherever it names `from`; a member that has a name keeps it. */
export const withModel = (draft: SettingsDraft, from: string, to: string): SettingsDraft => ({
  ...draft,
  seats: draft.seats.map((seat) => ({ ...seat, model: mapped(seat.model, from, to) })),
  chairman: mapped(draft.chairman, from, to),
  fallbacks: mapped(draft.fallbacks, from, to),
  titleModel: mapped(draft.titleModel, from, to),
  utilityModel: mapped(draft.utilityModel, from, to),
  parts: mapped(draft.parts, from, to),
});

/** Whether the draft names a model anywhere. */
export const names = (draft: SettingsDraft, model: string) =>
  JSON.stringify(changeOf(withModel(draft, model, ""))) !== JSON.stringify(changeOf(draft));

/** What is to be saved for `to` to be asked in the place of `from`; null where nothing names that. */
export function replacing(config: Config, from: string, to: string): ConfigChange | null {
  const before = draftOf(config);
  const [old, next] = [changeOf(before), changeOf(withModel(before, from, to))];
  const changed = Object.entries(next).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(old[name as keyof ConfigChange]),
  );
  return changed.length > 0 ? Object.fromEntries(changed) : null;
}
