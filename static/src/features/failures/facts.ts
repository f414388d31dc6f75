/** What the server says of a call that it ended, or never made. */
import { budgetRefusal } from "../../api/budget-words";
import type { Reason, Schemas } from "../../api/types";
import { t } from "../../i18n";
import { type Sentences, say } from "../../ui/said";
import { errorAdvice, errorReason } from "./kinds";

export type CallFact = Schemas["CallFact"];

/** By itself. */
export const callSentences: Sentences<CallFact> = {
  unfinished: () => errorAdvice("cancelled"),
  not_chosen: () => t("The run ended before the answer was chosen."),
  skipped: () => t("The council went on without it, as was asked for."),
  went_on_without: ({ answers }) =>
    t("The council went on without it after {{count, number}} answers.", { count: answers }),
  over_budget: ({ budget, needed_usd }) => budgetRefusal(budget, needed_usd ?? null, "call"),
  price_unknown: () => t("A budget applies, and the price of this model is unknown."),
  budgets_unreadable: () => t("The budgets of this server could not be read."),
  no_search: () => t("Nothing can be searched for here."),
  not_of_form: () => t("What was written is not of the form that the program asked for."),
};

/** To go on with within a sentence. */
const callReasons: Sentences<CallFact> = {
  unfinished: () => t("it was stopped before it had finished"),
  not_chosen: () => t("the run ended before the answer was chosen"),
  skipped: () => t("the council went on without it, as was asked for"),
  went_on_without: ({ answers }) =>
    t("the council went on without it after {{count, number}} answers", { count: answers }),
  over_budget: () => errorReason("budget"),
  price_unknown: () => t("a budget applies, and its price is unknown"),
  budgets_unreadable: () => t("the budgets of this server could not be read"),
  no_search: () => t("nothing can be searched for here"),
  not_of_form: () => t("what it wrote is not of the form that the program asked for"),
};

/** Why something failed, to go on with within a sentence. */
export const reasonText = ({ error_kind, error_fact, error }: Reason): string =>
  say(callReasons, error_fact) ?? (error_kind ? errorReason(error_kind) : error);
