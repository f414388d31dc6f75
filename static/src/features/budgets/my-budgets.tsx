import "../../styles/budgets.css";
import { useQuery } from "@tanstack/react-query";
import { api } from "../../api/client";
import { keys } from "../../api/queries";
import { msg, t } from "../../i18n";
import { ReadFailed } from "../../ui/read-failed";
import { BudgetFigures, keyOf } from "./budget-notice";
import { CapsForm } from "./caps-form";

/** What one may spend, what of it is gone, and the caps one sets oneself. */
export default function MyBudgets() {
  const budgets = useQuery({ queryKey: keys.budgets, queryFn: api.budgets });
  return (
    <section className="panel" id="budgets" aria-labelledby="budgets-title">
      <h2 id="budgets-title">{t("Budgets")}</h2>
      <p className="panel-lead">
        {t(
          "What your questions may cost. Days and months are those of UTC; a question that does not fit is refused before any model is asked.",
        )}
      </p>
      {budgets.isPending && <p className="quiet">{t("Loading budgets…")}</p>}
      {budgets.isError && !budgets.data && (
        <ReadFailed text={msg("Budgets could not be loaded: {{reason}}")} query={budgets} />
      )}
      {budgets.data?.length === 0 && <p className="quiet">{t("No budget applies to you.")}</p>}
      {budgets.data && budgets.data.length > 0 && (
        <ul className="budgets">
          {budgets.data.map((budget) => (
            <li key={keyOf(budget)}>
              <BudgetFigures budget={budget} />
            </li>
          ))}
        </ul>
      )}
      {budgets.data && <CapsForm budgets={budgets.data} />}
    </section>
  );
}
