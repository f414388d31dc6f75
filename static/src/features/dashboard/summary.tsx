import type { Analytics } from "../../api/types";
import { t } from "../../i18n";
import { count } from "../../ui/format";
import { CacheFigure } from "./cache";
import { Cost, CostNotes } from "./cost";
import { Figure } from "./figure";
import { compact } from "./figures";

/** All runs of the span in a few figures. */
export function Summary({ summary }: { summary: Analytics["summary"] }) {
  return (
    <>
      <dl className="tiles">
        <Figure name={t("Runs")}>{count(summary.total_queries)}</Figure>
        <Figure name={t("Cost")}>
          <Cost of={summary} />
        </Figure>
        <Figure name={t("Tokens")}>{compact(summary.total_tokens)}</Figure>
        <Figure name={t("Models that answered")}>{count(summary.unique_models)}</Figure>
        <Figure
          name={t("Failed calls")}
          note={summary.total_calls > 0 && t("of {{all}}", { all: count(summary.total_calls) })}
        >
          {count(summary.failures)}
        </Figure>
        <CacheFigure of={summary} />
      </dl>
      <CostNotes of={summary} prices={summary.price_list_date} />
    </>
  );
}
