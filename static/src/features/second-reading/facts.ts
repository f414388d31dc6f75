/** Why the answers were read a second time, or why not. */
import type { Schemas } from "../../api/types";
import { t } from "../../i18n";
import { rank } from "../../ui/format";
import type { Sentences } from "../../ui/said";

export const sentences: Sentences<Schemas["SecondReadingFact"]> = {
  no_sole_winner: () => t("The first ballots have no sole winner."),
  low_agreement: ({ agreement, needed }) =>
    t(
      "The first ballots agree to {{agreement}} between chance (0) and unanimity (1); {{needed}} is needed.",
      { agreement: rank(agreement), needed: rank(needed) },
    ),
  agreed: ({ agreement, needed }) =>
    typeof agreement === "number"
      ? t(
          "The first ballots agree to {{agreement}} between chance (0) and unanimity (1); {{needed}} is enough.",
          { agreement: rank(agreement), needed: rank(needed) },
        )
      : t("The first ballots have a sole winner."),
  nothing_to_compare: () => t("There are no ballots to compare."),
};
