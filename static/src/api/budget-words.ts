/** Budgets in words. */
import { msg, t } from "../i18n";
import { dateFormat, money, roughly } from "../ui/format";
import type { BudgetState } from "./types";

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

const costs = {
  question: {
    about: msg("This question would cost about {{needed}}."),
    unknown: msg("What this question would cost is unknown."),
  },
  call: {
    about: msg("This call would cost about {{needed}}."),
    unknown: msg("What this call would cost is unknown."),
  },
};

/** What something would cost, or that nobody knows. */
export const costOf = (what: keyof typeof costs, neededUsd: number | null) =>
  neededUsd === null
    ? t(costs[what].unknown)
    : t(costs[what].about, { needed: roughly(neededUsd) });

const clock = dateFormat({ dateStyle: "medium", timeStyle: "short" });

/** Why a question was not asked, or a call of it not made, and who can change that. */
export function budgetRefusal(
  budget: BudgetState,
  neededUsd: number | null,
  what: "question" | "call" = "question",
): string {
  const { limit_usd: limit, spent_usd: spent, reserved_usd: reserved } = budget;
  // To a millionth: sums of fractions leave others behind.
  const left = Math.max(0, Math.round((limit - spent - reserved) * 1e6) / 1e6);
  const values = {
    name: nameOf(budget),
    limit: money(limit),
    left: money(left),
  };
  const parts = [
    left === 0
      ? t("{{name}} is {{limit}}, and all of it is used up.", values)
      : left === limit
        ? t("{{name}} is {{limit}}.", values)
        : t("{{name}} is {{limit}}, and {{left}} of it is left.", values),
    costOf(what, neededUsd),
  ];
  if (budget.resets_at)
    parts.push(t("It resets on {{time}}.", { time: clock(new Date(budget.resets_at)) }));
  parts.push(
    budget.set_by === "oneself"
      ? t("You can raise it in the settings.")
      : t("An administrator can raise it."),
  );
  return parts.join(" ");
}
