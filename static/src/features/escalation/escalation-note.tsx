import type { EscalationInfo } from "../../api/types";
import { Details } from "../../ui/disclosure";
import { plural, rank } from "../../ui/format";
import { ScrollBox } from "../../ui/scroll-box";

const percent = (share: number | null | undefined) =>
  share === null || share === undefined ? "–" : `${Math.round(share * 1000) / 10} %`;

function Metrics({ info: { metrics, triggers } }: { info: EscalationInfo }) {
  const rows: [string, string, string, boolean][] = [
    [
      "Average confidence",
      rank(metrics.average_confidence),
      rank(metrics.confidence_threshold),
      triggers.low_avg_confidence,
    ],
    [
      "Lowest confidence",
      rank(metrics.min_confidence),
      rank(metrics.min_confidence_threshold),
      triggers.low_min_confidence,
    ],
    [
      "Agreement on the best",
      percent(metrics.agreement_ratio),
      percent(metrics.agreement_threshold),
      triggers.low_agreement,
    ],
  ];
  return (
    <ScrollBox label="What was measured">
      <table className="aggregate">
        <caption className="visually-hidden">What was measured of the first tier</caption>
        <thead>
          <tr>
            <th scope="col">Measure</th>
            <th scope="col">Measured</th>
            <th scope="col">Escalates below</th>
            <th scope="col">Escalated</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(([name, measured, threshold, triggered]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>{measured}</td>
              <td>{threshold}</td>
              <td>{triggered ? "yes" : "no"}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollBox>
  );
}

/** Whether the second tier was asked, and why. */
export function EscalationNote({ info }: { info: EscalationInfo }) {
  return (
    <div className="run-note">
      <p>
        <span className={info.escalated ? "badge badge-lenient" : "badge badge-kind"}>
          {info.escalated ? "escalated" : "not escalated"}
        </span>{" "}
        {info.escalated
          ? `The first tier of ${plural(info.tier1_model_count, "model")} was unsure: ` +
            `${plural(info.tier2_model_count, "more was", "more were")} asked.`
          : `The first tier of ${plural(info.tier1_model_count, "model")} was sure enough.`}
      </p>
      {info.reasons.length > 0 && (
        <ul className="run-reasons">
          {info.reasons.map((reason) => (
            <li key={reason}>{reason}</li>
          ))}
        </ul>
      )}
      {info.note && <p className="flags">{info.note}</p>}
      <Details title="What was measured">{() => <Metrics info={info} />}</Details>
    </div>
  );
}
