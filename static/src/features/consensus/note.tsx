import "../../styles/consensus.css";
import { t } from "../../i18n";
import type { RunState } from "../../run/state";
import { Details } from "../../ui/disclosure";
import { percent, rank } from "../../ui/format";
import { Said } from "../../ui/said";
import { reasonOf } from "./facts";
import { type ConsensusInfo, consensusOf } from "./state";

/** Whether the council agreed so much that nobody had to write, with the figures. */
function ConsensusNote({ info }: { info: ConsensusInfo }) {
  const { metrics } = info;
  const figures: [string, string][] = [
    [t("Average rank"), rank(metrics.average_rank)],
    [
      t("First places"),
      t("{{votes}} of {{all}} ({{share}})", {
        votes: rank(metrics.first_place_votes),
        all: metrics.total_voters,
        share: percent(metrics.agreement_ratio),
      }),
    ],
    [t("Average confidence"), rank(metrics.average_confidence)],
  ];
  return (
    <div className={info.is_consensus ? "consensus" : "run-note"}>
      <p>
        <span className={info.is_consensus ? "badge badge-kind" : "badge"}>
          {info.is_consensus ? t("early consensus") : t("no early consensus")}
        </span>{" "}
        {info.is_consensus && t("No chairman had to write: this is a member’s own answer.")}
      </p>
      <Details title={info.is_consensus ? t("Why it counts as agreed") : t("What was missing")}>
        {() => (
          <>
            <p className="quiet">
              <Said said={reasonOf(info.reason_fact)} text={info.reason} />
            </p>
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

/** Above the answer that was agreed upon. */
export function Agreed({ run }: { run: RunState }) {
  const info = consensusOf(run);
  return info?.is_consensus ? <ConsensusNote info={info} /> : null;
}

/** Above the reviews that did not agree enough. */
export function NotAgreed({ run }: { run: RunState }) {
  const info = consensusOf(run);
  return info && !info.is_consensus ? <ConsensusNote info={info} /> : null;
}
