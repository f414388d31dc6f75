import type { ConsensusInfo } from "../../api/types";
import { Details } from "../../ui/disclosure";
import { rank } from "../../ui/format";

const percent = (share: number) => `${Math.round(share * 100)} %`;

/** Whether the council agreed so much that nobody had to write, with the figures. */
export function ConsensusNote({ info }: { info: ConsensusInfo }) {
  const { metrics } = info;
  const figures: [string, string][] = [
    ["Average rank", rank(metrics.average_rank)],
    [
      "First places",
      `${rank(metrics.first_place_votes)} of ${metrics.total_voters} (${percent(metrics.agreement_ratio)})`,
    ],
    ["Average confidence", rank(metrics.average_confidence)],
  ];
  return (
    <div className={info.is_consensus ? "consensus" : "run-note"}>
      <p>
        <span className="badge badge-kind">
          {info.is_consensus ? "early consensus" : "no early consensus"}
        </span>{" "}
        {info.is_consensus && "No chairman had to write: this is a member’s own answer."}
      </p>
      <Details title={info.is_consensus ? "Why it counts as agreed" : "What was missing"}>
        {() => (
          <>
            <p className="quiet">{info.reason}</p>
            <dl className="figures">
              {figures.map(([name, value]) => (
                <div key={name}>
                  <dt>{name}</dt>
                  <dd>{value}</dd>
                </div>
              ))}
            </dl>
          </>
        )}
      </Details>
    </div>
  );
}
