import type { FieldError } from "../api/problem";
import type { SettingsPart } from "../features/feature";

/** What a feature finds wrong with its part of the settings, in a council of seven at most. */
export function problemsIn<Draft extends object>(
  part: SettingsPart<Draft>,
  draft: Draft,
): FieldError[] {
  const found: FieldError[] = [];
  part.problems?.(draft, 7, (field, message) => found.push({ field, message }));
  return found;
}
