import type { Schemas } from "../../api/types";
import { t } from "../../i18n";
import { shortName } from "../../ui/format";
import type { LogSentences } from "../../ui/said";

/** What the process log says of checks. */
export const log: LogSentences<Schemas["CheckNote"]> = {
  writer_checks: ({ model, query }) =>
    t("{{name}} checks: {{query}}", { name: shortName(model), query }),
  writer_found: ({ model, sources }) =>
    t("{{name}} has found {{count, number}} sources", { name: shortName(model), count: sources }),
  writer_found_nothing: ({ model }) =>
    t("{{name}} goes on without what it wanted to check", { name: shortName(model) }),
  writer_knows_enough: ({ model }) =>
    t("{{name}} knows enough and writes", { name: shortName(model) }),
};
