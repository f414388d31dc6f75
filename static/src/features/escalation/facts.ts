/** Why a second tier was asked, and what came of it. */
import type { Schemas } from "../../api/types";
import { t } from "../../i18n";
import { percent, rank } from "../../ui/format";
import type { Sentences } from "../../ui/said";

export const sentences: Sentences<Schemas["EscalationFact"]> = {
  no_answer: () => t("no answer: nobody of the first tier could answer"),
  low_average: ({ average, threshold }) =>
    t("the average confidence {{average}} is below {{threshold}}", {
      average: rank(average),
      threshold: rank(threshold),
    }),
  low_confidence: ({ lowest, threshold }) =>
    t("the lowest confidence {{lowest}} is below {{threshold}}", {
      lowest: rank(lowest),
      threshold: rank(threshold),
    }),
  low_agreement: ({ agreement, threshold }) =>
    t("only {{agreement}} of the ballots agree on the first place, below {{threshold}}", {
      agreement: percent(agreement, 1),
      threshold: percent(threshold, 1),
    }),
  in_vain: ({ reviewed }) =>
    reviewed
      ? t("Nobody of the second tier could answer: the first tier's answers and reviews stand.")
      : t("Nobody of the second tier could answer: it goes on without them."),
};
