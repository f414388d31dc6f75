/** A failed call as Markdown. */
import type { Answer } from "../../api/types";
import { t } from "../../i18n";
import { neutral } from "../../markdown/neutral";
import { reasonText } from "../failures/facts";

export function failed({
  error,
  error_kind,
  error_fact,
}: Pick<Answer, "error" | "error_kind" | "error_fact">): string {
  const reason = neutral(reasonText({ error: error ?? "", error_kind, error_fact }));
  return `> ${t("Failed: {{error}}", { error: reason })}`;
}
