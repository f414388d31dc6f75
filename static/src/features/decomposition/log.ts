import type { Schemas } from "../../api/types";
import { t } from "../../i18n";
import { duration, shortName } from "../../ui/format";
import { type Sentences, say, withDetails } from "../../ui/said";
import { reasonText } from "../failures/facts";
import { sentences } from "./facts";

const time = (ms: number | null | undefined) => (typeof ms === "number" ? duration(ms) : null);

/** What the process log says of a question that is taken apart. */
export const log: Sentences<Schemas["DecompositionNote"]> = {
  looks_for_parts: ({ model }) =>
    t("{{name}} looks whether the question has parts", { name: shortName(model) }),
  left_whole: ({ why, reason }) =>
    t("The council answers the question whole: {{reason}}", {
      reason: say(sentences, why) ?? reason,
    }),
  taken_apart: ({ parts }) =>
    t("The question is taken apart into {{count, number}} parts", { count: parts }),
  part_answered: ({ part, member, latency_ms }) =>
    withDetails(t("Part {{part}}: {{name}} has answered", { part, name: shortName(member) }), [
      time(latency_ms),
    ]),
  part_not_answered: ({ part, member, reason }) =>
    t("Part {{part}}: {{name}} gave no answer: {{reason}}", {
      part,
      name: shortName(member),
      reason: reasonText(reason),
    }),
  part_done: ({ part, member }) =>
    member
      ? t("Part {{part}}: the answer of {{name}} is taken", { part, name: shortName(member) })
      : t("Part {{part}}: nobody answered", { part }),
  merges: ({ model }) => t("{{name}} puts the parts together", { name: shortName(model) }),
  not_merged: ({ model, reason }) =>
    t("{{name}} could not put the parts together: {{reason}}", {
      name: shortName(model),
      reason: reasonText(reason),
    }),
  merged: ({ model, latency_ms }) =>
    withDetails(t("{{name}} has put the parts together", { name: shortName(model) }), [
      time(latency_ms),
    ]),
};
