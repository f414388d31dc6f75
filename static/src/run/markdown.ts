/** A deliberation and its parts as Markdown, for the clipboard. */
import { headingText } from "../features/council/heading";
import { t } from "../i18n";
import { count, rank, share } from "../ui/format";
import type { ReviewState, RunState } from "./state";

type Names = Readonly<Record<string, string>>;

/** A review with its labels turned back into names. */
export function reviewMarkdown({ seat, result }: ReviewState, names: Names): string {
  const parts = [`### ${t("Review by {{member}}", { member: seat.member })}`];
  if (result?.error) parts.push(`> ${t("Failed: {{error}}", { error: result.error })}`);
  if (result?.ranking) {
    parts.push(
      result.ranking.replace(/\bResponse [A-Z]\b/g, (label) => {
        const member = names[label];
        return member ? `${label} (${member})` : label;
      }),
    );
  }
  return `${parts.join("\n\n")}\n`;
}

/** All reviews, and what they come to. */
export function reviewsMarkdown(run: RunState): string {
  const parts: string[] = [];
  if (run.aggregate.length > 0) {
    const rows = run.aggregate.map(
      (row, at) =>
        `| ${count(at + 1)} | ${row.member} | ${rank(row.average_rank)} | ${share(row.borda)} |`,
    );
    parts.push(
      `## ${t("Aggregate ranking")}`,
      [
        `| | ${t("Member")} | ${t("Average rank")} | ${t("Borda")} |`,
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

export function toMarkdown(question: string, run: RunState): string {
  const parts = [`# ${question.trim().split("\n")[0]}`, question.trim()];
  const { result, text } = run.synthesis;
  if (text) {
    parts.push(`## ${result?.heading ? headingText(result.heading) : t("Unfinished answer")}`);
    parts.push(...(result?.notes ?? []).map((note) => `> ${note}`), text);
  }
  if (run.answers.length > 0) parts.push(`## ${t("Answers")}`);
  for (const { seat, text: answer, result: facts } of run.answers) {
    parts.push(`### ${seat.member}`);
    if (facts?.error) parts.push(`> ${t("Failed: {{error}}", { error: facts.error })}`);
    if (answer) parts.push(answer);
  }
  parts.push(reviewsMarkdown(run).trimEnd());
  return `${parts.filter(Boolean).join("\n\n")}\n`;
}
