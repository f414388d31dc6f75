/** The headings of final answers, as the server's `council/stages/synthesis` and options write them. */
import { msg, t } from "../../i18n";
import { shortName } from "../../ui/format";

const whole = [
  msg("Final answer of the council"),
  msg("Answer of the council, without a ranking"),
  msg("Answer of the council"),
  msg("Answer of {{good}} of {{asked}} members"),
  msg("Answer after a single member's reply, without peer review"),
  msg("The council agreed: the answer of {{member}}"),
  msg("The {{good}} of {{asked}} members that answered agreed: the answer of {{member}}"),
  msg("No final answer: the chairman and its stand-ins failed"),
  msg("Not finished"),
];

/** Who wrote, where it was not simply the chairman. */
const tails = [
  msg("{{answer}}, written by a stand-in for the chairman"),
  msg("{{answer}}, chosen from {{drafts}} drafts"),
  msg("{{answer}}, chosen from {{drafts}} drafts by a stand-in for the chairman"),
  msg("{{answer}}, the first of {{drafts}} drafts: nobody could choose"),
  msg("{{answer}}, the first of {{drafts}} drafts: no choice could be read"),
  msg("{{answer}}, by the only one of {{drafts}} chairmen that did not fail"),
];

const numbers = new Set(["good", "asked", "drafts"]);

/** What stands in the gaps of a text; null if it is another text. */
export function gapsOf(template: string, text: string): Record<string, string> | null {
  const parts = template.split(/\{\{(\w+)\}\}/);
  const pattern = parts.map((part, at) => {
    if (at % 2 === 0) return part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
    return numbers.has(part) ? `(?<${part}>\\d+)` : `(?<${part}>.+)`;
  });
  const found = new RegExp(`^${pattern.join("")}$`, "s").exec(text);
  return found ? { ...found.groups } : null;
}

function translated(templates: readonly string[], text: string): string | null {
  for (const template of templates) {
    const gaps = gapsOf(template, text);
    if (!gaps) continue;
    if (gaps.member) gaps.member = shortName(gaps.member);
    if (gaps.answer) gaps.answer = translated(whole, gaps.answer) ?? gaps.answer;
    return t(template, gaps);
  }
  return null;
}

/** In the reader's language where it is known, otherwise as the server wrote it. */
export const headingText = (heading: string): string =>
  translated(whole, heading) ?? translated(tails, heading) ?? heading;
