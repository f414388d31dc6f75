import { costOf } from "../../api/budget-words";
import { inReadersWords } from "../../api/refusals";
import type { ScheduleResult } from "../../api/schedules";
import { t } from "../../i18n";
import { money } from "../../ui/format";

type Refusal = NonNullable<ScheduleResult["problem"]>;

/** Why nothing was asked, in the reader's language; null where there is only what the server says in English. */
export function refusalText(problem: Refusal): string | null {
  const { type, limit_usd: limit, spent_usd: spent, needed_usd: needed } = problem;
  if (!type.endsWith(":schedule-budget-reached") || typeof limit !== "number") {
    return inReadersWords({ ...problem });
  }
  const budget = t(
    "The budget of this schedule is {{limit}} a month, and {{spent}} of it is spent.",
    { limit: money(limit), spent: money(spent ?? 0) },
  );
  return `${budget} ${costOf("question", needed ?? null)}`;
}
