import "../../styles/escalation.css";
import { t } from "../../i18n";
import type { RunState } from "../../run/state";
import { Details } from "../../ui/disclosure";
import { percent, rank } from "../../ui/format";
import { Said, saidList, say } from "../../ui/said";
import { ScrollBox } from "../../ui/scroll-box";
import { sentences } from "./facts";
import { type EscalationInfo, escalationOf } from "./state";

function Metrics({ info: { metrics, triggers } }: { info: EscalationInfo }) {
  const rows: [string, string, string, boolean][] = [
    [
      t("Average confidence"),
      rank(metrics.average_confidence),
      rank(metrics.confidence_threshold),
      triggers.low_avg_confidence,
    ],
    [
      t("Lowest confidence"),
      rank(metrics.min_confidence),
      rank(metrics.min_confidence_threshold),
      triggers.low_min_confidence,
    ],
    [
      t("Agreement on the best"),
      percent(metrics.agreement_ratio, 1),
      percent(metrics.agreement_threshold, 1),
      triggers.low_agreement,
    ],
  ];
  return (
    <ScrollBox label={t("What was measured")}>
      <table className="costs">
        <caption className="visually-hidden">{t("What was measured of the first tier")}</caption>
        <thead>
          <tr>
            <th scope="col">{t("Measure")}</th>
            <th scope="col">{t("Measured")}</th>
            <th scope="col">{t("Escalates below")}</th>
            <th scope="col">{t("Escalated")}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(([name, measured, threshold, triggered]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>{measured}</td>
              <td>{threshold}</td>
              <td>{triggered ? t("yes") : t("no")}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollBox>
  );
}

/** Whether the second tier was asked, and why. */
export function EscalationNote({ run }: { run: RunState }) {
  const info = escalationOf(run);
  if (!info) return null;
  return (
    <div className="run-note">
      <p>
        <span className={info.escalated ? "badge badge-lenient" : "badge badge-kind"}>
          {info.escalated ? t("escalated") : t("not escalated")}
        </span>{" "}
        {info.escalated
          ? t("The first tier of {{count, number}} models was unsure: {{more}}", {
              count: info.tier1_model_count,
              more: t("{{count, number}} more were asked.", { count: info.tier2_model_count }),
            })
          : t("The first tier of {{count, number}} models was sure enough.", {
              count: info.tier1_model_count,
            })}
      </p>
      {info.reasons.length > 0 && (
        <ul className="run-reasons">
          {saidList(sentences, info.reasons, info.reason_facts).map((reason) => (
            <li key={reason.text}>
              <Said {...reason} />
            </li>
          ))}
        </ul>
      )}
      {info.note && (
        <p className="flags">
          <Said said={say(sentences, info.note_fact)} text={info.note} />
        </p>
      )}
      <Details title={t("What was measured")}>{() => <Metrics info={info} />}</Details>
    </div>
  );
}
