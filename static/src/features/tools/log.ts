import type { Schemas } from "../../api/types";
import { t } from "../../i18n";
import { duration, shortName } from "../../ui/format";
import { type LogSentences, withDetails } from "../../ui/said";

/** What the process log says of tools. */
export const log: LogSentences<Schemas["ToolNote"]> = {
  member_searches: ({ member, query }) =>
    t("{{name}} searches: {{query}}", { name: shortName(member), query }),
  member_found: ({ member, sources, ms }) =>
    withDetails(
      t("{{name}} has {{count, number}} sources", { name: shortName(member), count: sources }),
      [duration(ms)],
    ),
  member_found_nothing: ({ member }) =>
    t("{{name}} goes on without what it wanted to look up", { name: shortName(member) }),
};
