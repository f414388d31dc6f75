import type { Schemas } from "../../api/types";
import { t } from "../../i18n";
import type { LogSentences } from "../../ui/said";

/** What the process log says of a web search. */
export const log: LogSentences<Schemas["WebSearchNote"]> = {
  web_searching: ({ query }) => t("Web search: {{query}}", { query }),
  web_searched: ({ sources }) => t("Web search: {{count, number}} sources", { count: sources }),
  web_search_failed: () => t("The web search failed; the run goes on without it"),
};
