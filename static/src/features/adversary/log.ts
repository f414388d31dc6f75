import type { Schemas } from "../../api/types";
import { t } from "../../i18n";
import { duration, shortName } from "../../ui/format";
import { type Sentences, withDetails } from "../../ui/said";
import { reasonText } from "../failures/facts";
import { severityName } from "./summary";

/** What the process log says of the devil's advocate. */
export const log: Sentences<Schemas["AdversaryNote"]> = {
  attacks: ({ model }) =>
    t("Devil’s advocate: {{name}} attacks the answer", { name: shortName(model) }),
  objects: ({ model, severity, latency_ms }) =>
    withDetails(t("{{name}} raises objections", { name: shortName(model) }), [
      severityName(severity),
      duration(latency_ms),
    ]),
  nothing_to_object: ({ model, latency_ms }) =>
    withDetails(t("{{name}} has nothing to object", { name: shortName(model) }), [
      duration(latency_ms),
    ]),
  attack_failed: ({ model, reason }) =>
    t("{{name}} could not attack the answer: {{reason}}", {
      name: shortName(model),
      reason: reasonText(reason),
    }),
  answer_revising: ({ model }) => t("{{name}} revises the answer", { name: shortName(model) }),
  answer_revised: ({ model, latency_ms }) =>
    withDetails(t("{{name}} has revised the answer", { name: shortName(model) }), [
      duration(latency_ms),
    ]),
  answer_not_revised: ({ model, reason }) =>
    t("{{name}} could not revise the answer: {{reason}}", {
      name: shortName(model),
      reason: reasonText(reason),
    }),
  attack_over: ({ revised, issues_found }) =>
    revised
      ? t("Devil’s advocate: the answer was revised")
      : issues_found
        ? t("Devil’s advocate: the answer stays, with objections")
        : t("Devil’s advocate: the answer stays"),
};
