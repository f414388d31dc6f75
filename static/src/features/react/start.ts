/** What is known of it before a run has it: see `feature.ts`. */
import { msg } from "../../i18n";
import { noSearch } from "../citing/available";
import type { FeatureStart } from "../feature";

export const start = {
  name: "react",
  title: msg("The chairman checks"),
  option: {
    field: "use_react",
    group: "final",
    everyFormat: true,
    obstacle: noSearch,
    isForServer: true,
  },
} satisfies FeatureStart;
