/** A question in parts as Markdown, for the clipboard. */
import { t } from "../../i18n";
import { neutral, neutralName } from "../../markdown/neutral";
import type { AnswerState, RunState } from "../../run/state";
import { failed } from "../export/failed";
import { apart, type PartState } from "./state";
import { pickedBy } from "./words";

function answer({ seat, text, result }: AnswerState, part: PartState): string[] {
  const by = seat.member === part.result?.best_member ? pickedBy(part) : null;
  return [
    `### ${neutralName(seat.member)}${by ? ` (${by})` : ""}`,
    ...(result?.error ? [failed(result)] : []),
    ...(text ? [neutral(text)] : []),
  ];
}

export const partsMarkdown = (run: RunState): string[] =>
  apart(run)?.parts.flatMap((part) => [
    `## ${t("Part {{number}}", { number: part.index + 1 })}`,
    neutral(part.question),
    ...part.answers.flatMap((one) => answer(one, part)),
  ]) ?? [];
