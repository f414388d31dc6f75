import type { WeightsInfo } from "../../api/types";
import { rank, share, shortName } from "../../ui/format";
import { ScrollBox } from "../../ui/scroll-box";

/** What each model's ballot counts, and what that is made of. */
export default function Weights({ weights }: { weights: WeightsInfo }) {
  const rows = Object.values(weights.weights).sort(
    (a, b) => b.normalized_weight - a.normalized_weight || a.model.localeCompare(b.model),
  );
  return (
    <div className="weights">
      {weights.explanation && <p className="quiet">{weights.explanation}</p>}
      <ScrollBox label="Weights of the ballots">
        <table className="aggregate">
          <caption className="visually-hidden">What each ballot counts, and why</caption>
          <thead>
            <tr>
              <th scope="col">Reviewer</th>
              <th scope="col">Counts</th>
              <th scope="col">Won</th>
              <th scope="col">Average rank</th>
              <th scope="col">Confidence</th>
              <th scope="col">Earlier answers</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.model}>
                <th scope="row" title={row.model}>
                  {shortName(row.model)}
                </th>
                <td>×{share(row.normalized_weight)}</td>
                <td>{row.runs > 0 ? `${Math.round(row.win_rate)} %` : "–"}</td>
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
            <strong>{shortName(row.model)}</strong>: {row.weight_explanation}
          </li>
        ))}
      </ul>
    </div>
  );
}
