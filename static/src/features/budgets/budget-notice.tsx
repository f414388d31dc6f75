import type { BudgetState } from "../../api/types";
import { money } from "../../ui/format";

const whose: Record<BudgetState["scope"], string> = {
  instance: "This server’s budget",
  group: "The budget of your group",
  user: "Your budget",
};
const forWhat: Record<BudgetState["period"], string> = {
  run: "for one question",
  day: "for today",
  month: "for this month",
};

/** A budget in words, as the beginning of a sentence. */
export function nameOf(budget: BudgetState): string {
  const owner =
    budget.set_by === "oneself"
      ? "The cap you have set yourself"
      : budget.scope === "group" && budget.name
        ? `The budget of the group “${budget.name}”`
        : whose[budget.scope];
  return `${owner} ${forWhat[budget.period]}`;
}

const clock = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "short" });

/** What of a budget is gone, with a bar. */
export function BudgetFigures({ budget }: { budget: BudgetState }) {
  const { limit_usd: limit, spent_usd: spent, reserved_usd: reserved } = budget;
  const part = (usd: number) => `${limit > 0 ? Math.min(100, (usd / limit) * 100) : 100}%`;
  return (
    <div className="budget">
      <p>
        {nameOf(budget)}: {money(spent)} of {money(limit)} spent
        {reserved > 0 && `, ${money(reserved)} reserved for what is under way`}
        {budget.unknown_cost_calls > 0 && `, and calls of unknown cost`}.
      </p>
      <div className="budget-bar" aria-hidden="true">
        <span style={{ width: part(spent) }} />
        <span className="budget-reserved" style={{ width: part(reserved) }} />
      </div>
      {budget.resets_at && (
        <p className="quiet">It starts anew {clock.format(new Date(budget.resets_at))}.</p>
      )}
    </div>
  );
}
