import type { Schemas } from "../../api/types";
import { t } from "../../i18n";
import { shortName } from "../../ui/format";
import type { LogSentences } from "../../ui/said";

/** What the process log says of research. */
export const log: LogSentences<Schemas["ResearchNote"]> = {
  research_begins: ({ model }) =>
    t("Research: {{name}} says what to search for", { name: shortName(model) }),
  researching: ({ queries }) => t("Research: {{count, number}} searches", { count: queries }),
  researched: ({ label, sources }) =>
    t("{{label}}: {{count, number}} sources", { label, count: sources }),
  research_of_one_failed: ({ label }) => t("{{label}}: the search failed", { label }),
  research_not_needed: ({ model }) =>
    t("Research: {{name}} says that none is needed", { name: shortName(model) }),
  research_is_over: ({ sources }) =>
    t("Research: {{count, number}} sources in all", { count: sources }),
  research_failed: () => t("Research failed; the run goes on without it"),
};
