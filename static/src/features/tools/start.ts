/** What is known of it before a run has it: see `feature.ts`. */
import { msg } from "../../i18n";
import { noSearch } from "../citing/available";
import type { FeatureStart } from "../feature";

export const start = {
  name: "tools",
  title: msg("Members search"),
  option: {
    field: "use_tools",
    group: "answers",
    everyFormat: true,
    obstacle: noSearch,
    isForServer: true,
  },
} satisfies FeatureStart;
