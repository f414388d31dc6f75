import type { Schemas } from "../../api/types";
import { t } from "../../i18n";
import { duration, shortName } from "../../ui/format";
import { type LogSentences, say, withDetails } from "../../ui/said";
import { reasonText } from "../failures/facts";
import { sentences } from "./facts";

/** What the process log says of refinement. */
export const log: LogSentences<Schemas["RefinementNote"]> = {
  refinement_begins: ({ max_iterations }) =>
    t("Refinement: at most {{count, number}} rounds of critique and revision", {
      count: max_iterations,
    }),
  round_begins: ({ iteration }) =>
    typeof iteration === "number" ? t("Refinement: round {{iteration}}", { iteration }) : null,
  critics_asked: ({ asked }) =>
    t("{{count, number}} members look for faults in the draft", { count: asked }),
  names_faults: ({ member }) => t("{{name}} names faults", { name: shortName(member) }),
  finds_no_fault: ({ member }) => t("{{name}} finds no fault", { name: shortName(member) }),
  no_critique: ({ member, reason }) =>
    t("{{name}} gave no critique: {{reason}}", {
      name: shortName(member),
      reason: reasonText(reason),
    }),
  critics_done: ({ found, asked }) =>
    t("{{found}} of {{count, number}} critics name faults", { found, count: asked }),
  draft_revising: ({ model }) => t("{{name}} revises the draft", { name: shortName(model) }),
  draft_revised: ({ model, latency_ms }) =>
    withDetails(t("{{name}} has revised the draft", { name: shortName(model) }), [
      duration(latency_ms),
    ]),
  draft_not_revised: ({ model, reason }) =>
    t("{{name}} could not revise the draft: {{reason}}", {
      name: shortName(model),
      reason: reasonText(reason),
    }),
  round_over: ({ iteration }) => t("Refinement: round {{iteration}} is over", { iteration }),
  round_stopped: ({ why, reason }) => say(sentences, reason) ?? why,
  nothing_more_to_improve: ({ why, reason }) =>
    t("Refinement converged: {{reason}}", { reason: say(sentences, reason) ?? why }),
  refinement_over: ({ revisions }) =>
    revisions === 0
      ? t("Refinement: the draft stays as it was")
      : t("Refinement: the draft was revised {{count, number}} times", { count: revisions }),
};
