/** Whom each method puts first, where they disagree. */
import type { AggregateFacts, Schemas } from "../../api/types";
import { t } from "../../i18n";
import { shortName } from "../../ui/format";
import { type SaidText, type Sentences, say } from "../../ui/said";

const sentences: Sentences<Schemas["MethodFact"]> = {
  average_rank: ({ member }) =>
    t("the average rank puts {{member}} first", { member: shortName(member) }),
  weighted_average_rank: ({ member }) =>
    t("the weighted average rank puts {{member}} first", { member: shortName(member) }),
  borda: ({ member }) => t("the Borda score puts {{member}} first", { member: shortName(member) }),
  weighted_borda: ({ member }) =>
    t("the weighted Borda score puts {{member}} first", { member: shortName(member) }),
  first_places: ({ member }) =>
    t("the most first places went to {{member}}", { member: shortName(member) }),
  condorcet: ({ member }) =>
    t("the winner of every single comparison is {{member}}", { member: shortName(member) }),
  kemeny: ({ member }) =>
    t("the Kemeny order begins with {{member}}", { member: shortName(member) }),
};

/** Null where they agree. */
export function disagreementOf({
  methods_disagree: text,
  methods_disagree_facts: facts,
}: AggregateFacts): SaidText | null {
  if (!text) return null;
  const said = (facts ?? []).map((fact) => say(sentences, fact));
  if (said.length === 0 || said.includes(null)) return { text, said: null };
  return { text, said: t("The methods disagree: {{methods}}.", { methods: said.join(", ") }) };
}
