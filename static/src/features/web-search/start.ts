/** What is known of it before a run has it: see `feature.ts`. */
import { msg } from "../../i18n";
import { noSearch } from "../citing/available";
import type { FeatureStart } from "../feature";

export const start = {
  name: "web-search",
  title: msg("Web search"),
  option: {
    field: "use_web_search",
    group: "answers",
    everyFormat: true,
    obstacle: noSearch,
    isForServer: true,
  },
} satisfies FeatureStart;
