import { msg, t } from "../../i18n";
import { formatText, isRunFormat } from "./run-format";

/** Single calls, which are paid for and part of no conversation, by what the ledger calls them. */
const singles: Readonly<Record<string, string>> = {
  bench: msg("Single call of a bench"),
  check: msg("Check of the providers"),
  classification: msg("Classification of a question"),
  rubric_draft: msg("Draft of a rubric"),
};
/** What a run was, in words; one that is not known here is read as it is written. */
export function formatName(format: string): string {
  if (isRunFormat(format)) return formatText(format);
  const single = Object.hasOwn(singles, format) ? singles[format] : undefined;
  return single === undefined ? format : t(single);
}
