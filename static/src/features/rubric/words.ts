import { t } from "../../i18n";
import { count } from "../../ui/format";
import type { Rubric } from "./state";

/** What stands above its text. */
export function headingOf({ name, version }: Rubric): string {
  if (!name) return t("Rubric");
  return typeof version === "number"
    ? t("Rubric: {{name}}, version {{version}}", { name, version: count(version) })
    : t("Rubric: {{name}}", { name });
}
