/** What was lost on the way to an answer: the sentences of the server's `council/stages/synthesis`. */
import { msg, t } from "../../i18n";
import { shortName } from "../../ui/format";
import { gapsOf } from "../council/heading";
import { reasonText } from "./kinds";

const templates = [
  msg("{{member}} gave no answer: {{reason}}."),
  msg("{{member}} did not finish its answer: it is too long and was cut."),
  msg("{{member}} did not finish its answer: {{reason}}."),
  msg("{{member}} gave no review: {{reason}}."),
  msg("{{member}} could not write the final answer: {{reason}}."),
  msg("{{member}} could not write draft {{label}}: {{reason}}."),
  msg("{{member}} answered late: its answer was not reviewed."),
  msg("{{member}}'s review holds no ballot that counts."),
  msg(
    "The reviews did not fit into {{member}}'s context: it wrote from the answers and the ranking.",
  ),
];

/** In the reader's language where it is known, otherwise as the server wrote it. */
export function noteText(note: string): string {
  for (const template of templates) {
    const gaps = gapsOf(template, note);
    if (!gaps) continue;
    if (gaps.member) gaps.member = shortName(gaps.member);
    if (gaps.reason) gaps.reason = reasonText(gaps.reason);
    return t(template, gaps);
  }
  return note;
}
