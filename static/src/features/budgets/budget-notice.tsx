import { nameOf } from "../../api/budget-words";
import type { BudgetState } from "../../api/types";
import { msg, t } from "../../i18n";
import { dateFormat, money } from "../../ui/format";

/** Without and with calls whose cost nobody knows. */
const spentOf = {
  plain: [
    msg("{{name}}: {{spent}} of {{limit}} spent."),
    msg("{{name}}: {{spent}} of {{limit}} spent, and calls of unknown cost."),
  ],
  now: [
    msg("{{name}}: {{spent}} of {{limit}} spent, {{reserved}} set aside for runs under way."),
    msg(
      "{{name}}: {{spent}} of {{limit}} spent, {{reserved}} set aside for runs under way, and calls of unknown cost.",
    ),
  ],
  past: [
    msg(
      "{{name}}: {{spent}} of {{limit}} spent, {{reserved}} set aside for runs that were under way.",
    ),
    msg(
      "{{name}}: {{spent}} of {{limit}} spent, {{reserved}} set aside for runs that were under way, and calls of unknown cost.",
    ),
  ],
} as const;

const clock = dateFormat({ dateStyle: "medium", timeStyle: "short" });

const overspent = msg("{{name}}: all of {{limit}} is used up; {{spent}} was spent.");

export const keyOf = ({ scope, period, set_by, name }: BudgetState) =>
  `${scope} ${period} ${set_by} ${name}`;

function levelOf({ limit_usd: limit, spent_usd: spent, reserved_usd: reserved }: BudgetState) {
  if (spent + reserved >= limit) return "budget-full";
  return spent + reserved >= limit * 0.8 ? "budget-nearly" : "";
}

/** What of a budget is gone, with a bar. */
export function BudgetFigures({
  budget,
  name = nameOf(budget),
  past = false,
}: {
  budget: BudgetState;
  name?: string;
  /** The figures are of a moment that is over. */
  past?: boolean;
}) {
  const { limit_usd: limit, spent_usd: spent, reserved_usd: reserved } = budget;
  // Of a budget for each question nothing is gone before one is asked.
  if (budget.period === "run" && spent + reserved === 0) {
    return <p>{t("{{name}}: at most {{limit}}.", { name, limit: money(limit) })}</p>;
  }
  const isOver = spent > limit;
  const texts = spentOf[reserved > 0 ? (past ? "past" : "now") : "plain"];
  const text = texts[budget.unknown_cost_calls > 0 ? 1 : 0];
  const part = (usd: number) => `${limit > 0 ? Math.min(100, (usd / limit) * 100) : 100}%`;
  return (
    <div className="budget">
      <p>
        {t(isOver ? overspent : text, {
          name,
          spent: money(spent),
          limit: money(limit),
          reserved: money(reserved),
        })}
      </p>
      <div className={`budget-bar ${levelOf(budget)}`} aria-hidden="true">
        <span style={{ width: part(spent) }} />
        <span className="budget-reserved" style={{ width: part(reserved) }} />
      </div>
      {budget.resets_at && !past && (
        <p className="quiet">
          {t("It resets on {{time}}.", { time: clock(new Date(budget.resets_at)) })}
        </p>
      )}
    </div>
  );
}
