import type { BudgetState } from "../../api/types";
import { msg, t } from "../../i18n";
import { dateFormat, money } from "../../ui/format";

type Named = Record<BudgetState["period"], string>;

const own: Named = {
  run: msg("The cap you have set yourself for one question"),
  day: msg("The cap you have set yourself for today"),
  month: msg("The cap you have set yourself for this month"),
};
const ofNamedGroup: Named = {
  run: msg("The budget of the group “{{name}}” for one question"),
  day: msg("The budget of the group “{{name}}” for today"),
  month: msg("The budget of the group “{{name}}” for this month"),
};
const byScope: Record<BudgetState["scope"], Named> = {
  instance: {
    run: msg("This server’s budget for one question"),
    day: msg("This server’s budget for today"),
    month: msg("This server’s budget for this month"),
  },
  group: {
    run: msg("The budget of your group for one question"),
    day: msg("The budget of your group for today"),
    month: msg("The budget of your group for this month"),
  },
  user: {
    run: msg("Your budget for one question"),
    day: msg("Your budget for today"),
    month: msg("Your budget for this month"),
  },
};

/** A budget in words, as the beginning of a sentence. */
export function nameOf({ scope, period, set_by, name }: BudgetState): string {
  if (set_by === "oneself") return t(own[period]);
  if (scope === "group" && name) return t(ofNamedGroup[period], { name });
  return t(byScope[scope][period]);
}

/** Without and with calls whose cost nobody knows. */
const spentOf = {
  plain: [
    msg("{{name}}: {{spent}} of {{limit}} spent."),
    msg("{{name}}: {{spent}} of {{limit}} spent, and calls of unknown cost."),
  ],
  now: [
    msg("{{name}}: {{spent}} of {{limit}} spent, {{reserved}} reserved for what is under way."),
    msg(
      "{{name}}: {{spent}} of {{limit}} spent, {{reserved}} reserved for what is under way, and calls of unknown cost.",
    ),
  ],
  past: [
    msg("{{name}}: {{spent}} of {{limit}} spent, {{reserved}} reserved for what was under way."),
    msg(
      "{{name}}: {{spent}} of {{limit}} spent, {{reserved}} reserved for what was under way, and calls of unknown cost.",
    ),
  ],
} as const;

const clock = dateFormat({ dateStyle: "medium", timeStyle: "short" });

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
  const texts = spentOf[reserved > 0 ? (past ? "past" : "now") : "plain"];
  const text = texts[budget.unknown_cost_calls > 0 ? 1 : 0];
  const part = (usd: number) => `${limit > 0 ? Math.min(100, (usd / limit) * 100) : 100}%`;
  return (
    <div className="budget">
      <p>
        {t(text, {
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
          {t("It starts anew {{time}}.", { time: clock(new Date(budget.resets_at)) })}
        </p>
      )}
    </div>
  );
}
