/** A deliberation as one Markdown text, for the clipboard. */
import type { RunState } from "./state";

export function toMarkdown(question: string, run: RunState): string {
  const parts = [`# ${question.trim().split("\n")[0]}`, question.trim()];
  const { result, text } = run.synthesis;
  if (text) {
    parts.push(`## ${result?.heading ?? "Unfinished answer"}`);
    parts.push(...(result?.notes ?? []).map((note) => `> ${note}`), text);
  }
  if (run.answers.length > 0) parts.push("## Answers");
  for (const { seat, text: answer, result: facts } of run.answers) {
    parts.push(`### ${seat.member}`);
    if (facts?.error) parts.push(`> Failed: ${facts.error}`);
    if (answer) parts.push(answer);
  }
  if (run.aggregate.length > 0) {
    const rows = run.aggregate.map(
      (row, at) =>
        `| ${at + 1} | ${row.member} | ${row.average_rank ?? "–"} | ${row.borda ?? "–"} |`,
    );
    parts.push(
      "## Aggregate ranking",
      ["| | Member | Average rank | Borda |", "|---|---|---|---|", ...rows].join("\n"),
    );
  }
  if (run.reviews.length > 0) parts.push("## Reviews");
  for (const { seat, result: review } of run.reviews) {
    parts.push(`### Review by ${seat.member}`);
    if (review?.error) parts.push(`> Failed: ${review.error}`);
    if (review?.ranking) {
      parts.push(
        review.ranking.replace(/\bResponse [A-Z]\b/g, (label) => {
          const member = run.labelToMember[label];
          return member ? `${label} (${member})` : label;
        }),
      );
    }
  }
  return `${parts.join("\n\n")}\n`;
}
