import "../../styles/weights.css";
import { t } from "../../i18n";
import { percent, rank, share, shortName } from "../../ui/format";
import { Said, say } from "../../ui/said";
import { ScrollBox } from "../../ui/scroll-box";
import { weightSentences, weightsSentences } from "./facts";
import type { WeightsInfo } from "./state";

/** What each model's ballot counts, and what that is made of. */
export default function WeightsTable({ weights }: { weights: WeightsInfo }) {
  const rows = Object.values(weights.weights).sort(
    (a, b) => b.normalized_weight - a.normalized_weight || a.model.localeCompare(b.model),
  );
  return (
    <div className="weights">
      {weights.explanation && (
        <p className="quiet">
          <Said said={say(weightsSentences, weights.explanation_fact)} text={weights.explanation} />
        </p>
      )}
      <ScrollBox label={t("Weights of the ballots")}>
        <table className="costs">
          <caption className="visually-hidden">{t("What each ballot counts, and why")}</caption>
          <thead>
            <tr>
              <th scope="col">{t("Reviewer")}</th>
              <th scope="col">{t("Counts")}</th>
              <th scope="col">{t("Won")}</th>
              <th scope="col">{t("Average rank")}</th>
              <th scope="col">{t("Confidence")}</th>
              <th scope="col">{t("Earlier answers")}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.model}>
                <th scope="row" title={row.model}>
                  {shortName(row.model)}
                </th>
                <td>×{share(row.normalized_weight)}</td>
                <td>{row.runs > 0 ? percent(row.win_rate / 100) : "–"}</td>
                <td>{rank(row.average_rank)}</td>
                <td>{rank(row.average_confidence)}</td>
                <td>{row.runs}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollBox>
      <ul className="weight-reasons">
        {rows.map((row) => (
          <li key={row.model}>
            <strong>{shortName(row.model)}</strong>:{" "}
            <Said
              said={say(weightSentences, row.weight_explanation_fact)}
              text={row.weight_explanation}
            />
          </li>
        ))}
      </ul>
    </div>
  );
}
