/** A debate as Markdown, for the clipboard. */
import { t } from "../../i18n";
import { neutral, neutralName } from "../../markdown/neutral";
import type { RunState } from "../../run/state";
import { listText } from "../../ui/format";
import { failed } from "../export/failed";
import { debateOf, type StatementState } from "./state";
import { labelText, roundOf, shortLabel } from "./words";

const listed = (title: string, points: readonly string[] | undefined) =>
  points?.length ? [`**${title}**`, points.map((point) => `- ${neutral(point)}`).join("\n")] : [];

function verdict(run: RunState): string[] {
  const said = run.synthesis.result?.verdict;
  if (!said) return [];
  return [
    ...listed(t("Most convincing"), said.most_convincing),
    ...listed(t("Settled"), said.settled),
    ...listed(t("Still in dispute"), said.open),
    ...listed(t("The minority's view"), said.minority),
  ];
}

function statement({ label, seat, text, repliesTo, result }: StatementState): string[] {
  const others = listText(repliesTo.map(shortLabel));
  const head = repliesTo.length
    ? t("{{speaker}} answers {{others}}", { speaker: labelText(label), others })
    : labelText(label);
  return [
    `### ${neutralName(head)} (${neutralName(seat.member)})`,
    ...(result?.error ? [failed(result)] : []),
    ...(text ? [neutral(text)] : []),
  ];
}

export function debateMarkdown(run: RunState): string[] {
  const debate = debateOf(run);
  if (!debate) return [];
  return [
    ...verdict(run),
    ...debate.rounds.flatMap((round) => [
      `## ${roundOf(debate, round)}`,
      ...round.statements.flatMap(statement),
    ]),
  ];
}
