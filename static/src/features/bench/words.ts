/** What a bench's figures say, in words. */
import type { BenchStatus, VariantRow } from "../../api/bench";
import { msg, t } from "../../i18n";
import { money, numberFormat, percent } from "../../ui/format";

const statuses: Record<BenchStatus, string> = {
  running: msg("Under way"),
  stopped: msg("Stopped"),
  over_budget: msg("Budget used up"),
  complete: msg("Complete"),
};

export const statusText = (status: BenchStatus) => t(statuses[status]);

/** What was paid as far as it is known, and for how many calls it is not. */
export function cost({
  usd,
  unpriced_calls: unpriced,
}: Pick<VariantRow["spent"], "usd" | "unpriced_calls">): string {
  const known = money(usd);
  return unpriced > 0
    ? t("{{known}} and {{count, number}} calls of unknown price", { known, count: unpriced })
    : known;
}

type Interval = { value: number; low: number; high: number };

export const rangeText = ({ low, high }: Interval) =>
  t("{{from}} to {{until}}", { from: percent(low, 1), until: percent(high, 1) });

const signed = numberFormat({ signDisplay: "exceptZero", maximumFractionDigits: 1 });

/** A difference of two shares, in points of a hundred. */
export const points = (difference: number) => signed(difference * 100);

/** What the comparison of a council with its best member comes to. */
export function verdict(best: NonNullable<VariantRow["against_best"]>): string {
  const { difference, member } = best;
  if (!difference) return t("Nothing can be compared yet.");
  if (difference.low > 0) {
    return t("The council is better than its best member, {{member}}.", { member });
  }
  if (difference.high < 0) {
    return t("The council is worse than its best member, {{member}}.", { member });
  }
  return t(
    "These questions show no clear difference between the council and its best member, {{member}}: it may be chance.",
    { member },
  );
}

/** Commands, which read the same in every language. */
export const commands = {
  begin: "llm-council bench questions.jsonl --variant council --model openai/gpt-5.1",
  resume: (name: string) => `llm-council bench --resume ${JSON.stringify(name)}`,
};
