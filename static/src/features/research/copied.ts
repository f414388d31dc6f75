/** The findings as Markdown, for the clipboard. */
import { t } from "../../i18n";
import { neutral } from "../../markdown/neutral";
import type { RunState } from "../../run/state";
import { researchOf } from "./state";

export function copied(run: RunState, what: "all" | "final"): string[] {
  const state = researchOf(run);
  if (what === "final" || !state?.found) return [];
  const topics = state.topics.filter(({ result }) => result?.response);
  return [
    `## ${t("Research")}`,
    ...topics.flatMap(({ label, query, result }) => [
      `### ${neutral(label)}`,
      `> ${neutral(query)}`,
      neutral(result?.response ?? ""),
    ]),
  ];
}
