/** Whether this server can search, and by what. */
import type { Config } from "../../api/types";
import { t } from "../../i18n";

/** Why nothing can be searched for, and who mends that; null where it can. */
export const noSearch = ({ web_search_available: isThere }: Config): string | null =>
  isThere
    ? null
    : t(
        "This server has no web search. Whoever runs it can switch it on: docs/research.md says how.",
      );

/** What is to be said of results that are made up; empty where they are not. */
export const simulatedSearch = (config: Config | undefined): string =>
  config?.search_provider === "simulated" ? t("The search is simulated here.") : "";
