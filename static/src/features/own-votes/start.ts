/** What is known of it before a run has it: see `feature.ts`. */
import { msg } from "../../i18n";
import type { FeatureStart } from "../feature";

export const start = {
  name: "own-votes",
  title: msg("Votes for one’s own answer"),
  way: {
    field: "self_votes",
    group: "reviews",
    everyFormat: true,
    byDefault: "adjusted",
    values: [
      { value: "adjusted", text: msg("Corrected") },
      { value: "counted", text: msg("As cast"), chip: msg("Own votes as cast") },
      { value: "left_out", text: msg("Left out"), chip: msg("Own votes left out") },
    ],
    ofSettings(config, preset) {
      if (preset?.settings.count_self_votes === false) return "left_out";
      if (preset?.settings.count_self_votes) return "counted";
      return config.self_votes;
    },
  },
} satisfies FeatureStart;
