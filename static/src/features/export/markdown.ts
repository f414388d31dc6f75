/** A deliberation and its parts as Markdown, for the clipboard. */

import { t } from "../../i18n";
import { neutral, neutralName } from "../../markdown/neutral";
import type { ReviewState, RunState } from "../../run/state";
import { count, rank, share } from "../../ui/format";
import { features } from "..";
import { aloneIn } from "../council/alone";
import { headingOf } from "../council/heading";
import { notesOf } from "../council/notes";
import { formatOf } from "../formats";
import { failed } from "./failed";

type Names = Readonly<Record<string, string>>;

/** A review with its labels turned back into names. */
export function reviewMarkdown({ seat, result }: ReviewState, names: Names): string {
  const parts = [`### ${t("Review by {{member}}", { member: neutralName(seat.member) })}`];
  if (result?.error) parts.push(failed(result));
  if (result?.ranking) {
    parts.push(
      neutral(result.ranking).replace(/\bResponse [A-Z]\b/g, (label) => {
        const member = names[label];
        return member ? `${label} (${neutralName(member)})` : label;
      }),
    );
  }
  return `${parts.join("\n\n")}\n`;
}

/** All reviews, and what they come to. */
export function reviewsMarkdown(run: RunState): string {
  const parts: string[] = [];
  if (run.aggregate.length > 0) {
    const rows = run.aggregate.map((row, at) => {
      const member = neutralName(row.member).replaceAll("|", "\\|");
      return `| ${count(at + 1)} | ${member} | ${rank(row.average_rank)} | ${share(row.borda)} |`;
    });
    parts.push(
      `## ${t("Aggregate ranking")}`,
      [
        `| | ${t("Member")} | ${t("Average rank")} | ${t("Score (Borda)")} |`,
        "|---|---|---|---|",
        ...rows,
      ].join("\n"),
    );
  }
  if (run.reviews.length > 0) parts.push(`## ${t("Reviews")}`);
  for (const review of run.reviews) {
    parts.push(reviewMarkdown(review, run.labelToMember).trimEnd());
  }
  return parts.length > 0 ? `${parts.join("\n\n")}\n` : "";
}

/** The final answer by itself, with what it cannot be read without. */
export const finalMarkdown = (run: RunState): string =>
  [run.synthesis.text, ...features.flatMap(({ copied }) => copied?.(run, "final") ?? [])].join(
    "\n\n",
  );

export function toMarkdown(question: string, run: RunState): string {
  const asked = neutral(question.trim());
  const parts = [`# ${asked.split("\n")[0]}`, asked];
  const { result, text } = run.synthesis;
  if (text) {
    const heading = result ? headingOf(result) : null;
    const notes = result ? notesOf(result) : [];
    const said = heading ? (heading.said ?? heading.text) : t("Unfinished answer");
    parts.push(`## ${neutralName(said)}`);
    parts.push(...notes.map(({ said, text }) => `> ${neutral(said ?? text)}`), neutral(text));
  }
  for (const { copied } of features) parts.push(...(copied?.(run, "all") ?? []));
  parts.push(...(formatOf(run)?.markdown(run) ?? []));
  const answers = aloneIn(run) ? [] : run.answers;
  if (answers.length > 0) parts.push(`## ${t("Answers")}`);
  for (const { seat, text: answer, result: facts } of answers) {
    parts.push(`### ${neutralName(seat.member)}`);
    if (facts?.error) parts.push(failed(facts));
    if (answer) parts.push(neutral(answer));
  }
  parts.push(reviewsMarkdown(run).trimEnd());
  return `${parts.filter(Boolean).join("\n\n")}\n`;
}
