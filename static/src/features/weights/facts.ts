/** What a ballot weighs, in words and figures. */
import type { Schemas } from "../../api/types";
import { t } from "../../i18n";
import { count, percent, rank, share } from "../../ui/format";
import { type Sentences, say } from "../../ui/said";

const parts: Sentences<Schemas["WeightPart"]> = {
  base: ({ weight }) => share(weight),
  wins: ({ weight, win_rate }) =>
    t("{{weight}} (first in {{share}})", {
      weight: share(weight),
      share: percent(win_rate / 100, 1),
    }),
  rank: ({ weight, average_rank }) =>
    t("{{weight}} (average rank {{rank}})", { weight: share(weight), rank: rank(average_rank) }),
  confidence: ({ weight, average_confidence }) =>
    t("{{weight}} (confidence {{confidence}} of 10)", {
      weight: share(weight),
      confidence: rank(average_confidence),
    }),
};

const bounds: Sentences<Schemas["WeightBound"]> = {
  at_most: ({ weight }) => t("at most {{weight}}", { weight: rank(weight) }),
  at_least: ({ weight }) => t("at least {{weight}}", { weight: rank(weight) }),
};

/** How one model's weight comes about. */
export const weightSentences: Sentences<Schemas["WeightFact"]> = {
  too_few_runs: ({ weight, runs, needed }) =>
    runs === 0
      ? t("{{weight}}: weighed from {{needed}} ranked answers on; it has none yet", {
          weight: share(weight),
          needed: count(needed),
        })
      : t("{{weight}}: weighed from {{needed}} ranked answers on; it has {{runs}}", {
          weight: share(weight),
          needed: count(needed),
          runs: count(runs),
        }),
  sum: ({ parts: summed, raw, bound }) => {
    const sum = `${summed.map((part) => say(parts, part) ?? share(part.weight)).join(" + ")} = ${share(raw)}`;
    const limit = say(bounds, bound);
    return limit ? `${sum}, ${limit}` : sum;
  },
};

/** Whether the ballots weigh differently. */
export const weightsSentences: Sentences<Schemas["WeightsFact"]> = {
  no_records: ({ needed }) =>
    t("No model has {{needed}} ranked answers in earlier runs yet: every ballot counts the same.", {
      needed: count(needed),
    }),
  weighed: ({ with_records, models, min, max }) =>
    t(
      "{{weighed}} of {{models}} models are weighed by their earlier runs, from {{min}} to {{max}}; the weights are then divided by their average.",
      { weighed: count(with_records), models: count(models), min: share(min), max: share(max) },
    ),
};
