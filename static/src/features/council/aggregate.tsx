import type { AggregateFacts, AggregateRow } from "../../api/types";
import { msg, t } from "../../i18n";
import type { RunState } from "../../run/state";
import { Explain } from "../../ui/explain";
import { listText, rank, share, shortName } from "../../ui/format";
import { Said } from "../../ui/said";
import { ScrollBox } from "../../ui/scroll-box";
import { membersOf } from "../formats";
import { placesOf, ranksOf } from "./ballots";
import { Certainty } from "./certainty";
import { correctionOf, matrixCaption, OwnVotes } from "./corrections";
import { abstentionNotes } from "./describe";
import { disagreementOf } from "./methods";
import { Monogram } from "./monogram";

const seatIn = (run: RunState, member: string) => Math.max(0, membersOf(run).indexOf(member));

/** The text for a reviewer's place for its own answer: that it is its own, and where it counts. */
function OwnCell({ facts, member }: { facts: AggregateFacts | null; member: string }) {
  const correction = correctionOf(facts, member);
  if (!correction) return <span className="visually-hidden"> {t("(own answer)")}</span>;
  const place = rank(correction.counted_place);
  return (
    <>
      <span className="matrix-counted" aria-hidden="true">
        {" → "}
        {place}
      </span>
      <span className="visually-hidden">
        {" "}
        {t("(own answer, counts as place {{place}})", { place })}
      </span>
    </>
  );
}

/** Who ranked whom: a row for each reviewer, a column for each answer. */
export function Matrix({ run }: { run: RunState }) {
  const labels = Object.keys(run.labelToMember).sort();
  if (labels.length === 0 || run.reviews.length === 0) return null;
  return (
    <ScrollBox label={t("Who ranked whom")}>
      <table className="matrix">
        <caption>
          <span>{matrixCaption(run.facts)}</span>
        </caption>
        <thead>
          <tr>
            <th scope="col">{t("Reviewer")}</th>
            {labels.map((label) => {
              const member = run.labelToMember[label] ?? label;
              return (
                <th key={label} scope="col" title={member}>
                  <Monogram member={member} seat={seatIn(run, member)} />
                  <span className="matrix-name">{shortName(member)}</span>
                  <span className="matrix-label">{label}</span>
                </th>
              );
            })}
          </tr>
        </thead>
        <tbody>
          {run.reviews.map(({ seat, status, result }) => (
            <tr key={seat.member} className={result && !result.counts ? "matrix-void" : undefined}>
              <th scope="row" title={seat.member}>
                {shortName(seat.member)}
                {status === "writing" && <span className="matrix-note">{t("reviewing…")}</span>}
                {status === "failed" && <span className="matrix-note">{t("failed")}</span>}
                {status === "done" && result?.parse === "none" && (
                  <span className="matrix-note">{t("abstained")}</span>
                )}
                {result && result.parse !== "none" && !result.counts && !result.error && (
                  <span className="matrix-note">{t("not counted")}</span>
                )}
              </th>
              {ranksOf(result, labels).map((cell) => {
                const own = run.labelToMember[cell.label] === seat.member;
                const strength = cell.rank ? Math.min(cell.rank, 4) : 0;
                return (
                  <td key={cell.label} className={`rank-${strength}${own ? " matrix-own" : ""}`}>
                    {cell.rank === null ? "–" : cell.tied ? `${cell.rank}=` : cell.rank}
                    {own && <OwnCell facts={run.facts} member={seat.member} />}
                  </td>
                );
              })}
            </tr>
          ))}
          {run.abstained.map(({ member, reason }) => (
            <tr key={member} className="matrix-void">
              <th scope="row" title={member}>
                {shortName(member)}
                <span className="matrix-note">{t(abstentionNotes[reason])}</span>
              </th>
              {labels.map((label) => (
                <td key={label} className="rank-0">
                  –
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollBox>
  );
}

const levels: readonly [least: number, text: string][] = [
  [0.95, msg("The reviewers agree almost completely.")],
  [0.6, msg("The reviewers largely agree.")],
  [0.25, msg("The reviewers agree in part.")],
  [-0.25, msg("The reviewers hardly agree.")],
];

/** How far the reviewers agree, in a plain sentence; the figure is behind a question mark. */
function Agreement({ facts: { agreement } }: { facts: AggregateFacts }) {
  const value = agreement?.value ?? null;
  if (!agreement || value === null) return null;
  const isKendall = agreement.measure === "kendall_w";
  const chance = agreement.expected_by_chance ?? null;
  // What chance alone would give is no agreement yet.
  const beyond =
    isKendall && chance !== null && chance < 1 ? (value - chance) / (1 - chance) : value;
  const level = levels.find(([least]) => beyond >= least);
  const figures = { value: share(value), chance: share(chance) };
  return (
    <div className="explained agreement">
      <p>{t(level ? level[1] : "The reviewers contradict each other.")}</p>
      <Explain label={t("How agreement is measured")}>
        <p>
          {isKendall
            ? t(
                "Agreement (Kendall’s W) is {{value}}, from 0 (none) to 1 (all rankings the same).",
                figures,
              )
            : t(
                "Agreement (Kendall’s tau-b, the average over all pairs of reviewers) is {{value}}, from −1 (opposite rankings) to 1 (the same ranking).",
                figures,
              )}{" "}
          {chance !== null && t("Rankings made at random would give {{chance}}.", figures)}
        </p>
      </Explain>
    </div>
  );
}

function verdict(facts: AggregateFacts): string {
  const counted = [t("{{count, number}} ballots", { count: facts.ballots })];
  if (facts.abstentions) {
    counted.push(t("{{count, number}} abstentions", { count: facts.abstentions }));
  }
  const ballots = listText(counted, "conjunction");
  if (facts.winner && facts.winner_is_tie) {
    return t(
      "{{member}} is narrowly ahead ({{ballots}}). Without the ballot of {{others}}, it would not lead.",
      {
        member: shortName(facts.winner),
        ballots,
        others: listText((facts.winner_depends_on ?? []).map(shortName), "disjunction"),
      },
    );
  }
  if (facts.winner_is_tie) return t("No clear winner ({{ballots}}).", { ballots });
  if (!facts.winner) return t("No winner ({{ballots}}).", { ballots });
  return t("{{member}} was ranked best ({{ballots}}).", {
    member: shortName(facts.winner),
    ballots,
  });
}

function Sentences({ facts }: { facts: AggregateFacts }) {
  const disagreement = disagreementOf(facts);
  return (
    <div className="verdict">
      <p className="verdict-head">{verdict(facts)}</p>
      <Certainty facts={facts} />
      <Agreement facts={facts} />
      {disagreement && (
        <p>
          <Said {...disagreement} />
        </p>
      )}
      {facts.unplaced.length > 0 && (
        <p>
          {t("No counted ballot ranks {{members}}.", {
            members: listText(facts.unplaced.map(shortName)),
          })}
        </p>
      )}
      <OwnVotes facts={facts} />
    </div>
  );
}

/** Places gained or lost by the weights. */
function RankChange({ by }: { by: number }) {
  if (by === 0) return null;
  return (
    <span className={by > 0 ? "gained" : "lost"}>
      {" "}
      <span aria-hidden="true">
        {by > 0 ? "▲" : "▼"}
        {Math.abs(by)}
      </span>
      <span className="visually-hidden">
        {by > 0
          ? t("(gained {{count, number}} places by the weights)", { count: by })
          : t("(lost {{count, number}} places by the weights)", { count: -by })}
      </span>
    </span>
  );
}

const isCorrected = ({ average_rank, uncorrected_rank }: AggregateRow) =>
  rank(uncorrected_rank ?? average_rank) !== rank(average_rank);

/** What the average rank would be without corrections. */
function Uncorrected({ row }: { row: AggregateRow }) {
  if (!isCorrected(row)) return null;
  const uncorrected = rank(row.uncorrected_rank);
  return (
    <span className="against">
      {" "}
      <span aria-hidden="true">({uncorrected})</span>
      <span className="visually-hidden">
        {t("(without corrections {{rank}})", { rank: uncorrected })}
      </span>
    </span>
  );
}

function Row({ run, row, place }: { run: RunState; row: AggregateRow; place: string }) {
  return (
    <tr>
      <td className="place">{place}</td>
      <th scope="row" title={row.member === row.model ? row.model : `${row.member} · ${row.model}`}>
        <Monogram member={row.member} seat={seatIn(run, row.member)} />
        {shortName(row.member)}
      </th>
      <td>
        {rank(row.average_rank)}
        <Uncorrected row={row} />
      </td>
      {row.weights_applied && (
        <td>
          {rank(row.weighted_average_rank)}
          <RankChange by={row.rank_change} />
        </td>
      )}
      <td>{share(row.weights_applied ? (row.weighted_borda ?? row.borda) : row.borda)}</td>
      <td>{row.first_place_votes}</td>
      <td>
        {rank(row.self_rank)} <span className="against">/</span> {rank(row.peer_rank)}
      </td>
      <td>{row.same_family_votes || "–"}</td>
    </tr>
  );
}

const columns = [
  [msg("Average rank"), msg("The average place that the reviewers gave it; 1 is best.")],
  [
    msg("Score (Borda)"),
    msg("Average share of the points that an answer can get (Borda score), 0 to 1"),
  ],
  [msg("First places"), msg("How many reviewers ranked it first.")],
  [
    msg("Self / peers"),
    msg("The rank it gave its own answer, and the average rank the others gave it"),
  ],
  [msg("Same family"), msg("Votes by reviewers of the same model family")],
] as const;

export function Aggregate({ run }: { run: RunState }) {
  const { aggregate: rows, facts } = run;
  if (rows.length === 0) return facts ? <Sentences facts={facts} /> : null;
  const places = placesOf(rows);
  const hasWinner = facts?.winner && !facts.winner_is_tie;
  return (
    <>
      {facts && <Sentences facts={facts} />}
      <ScrollBox label={t("Aggregate ranking")}>
        <table className={hasWinner ? "aggregate aggregate-clear" : "aggregate"}>
          <caption>{t("All ballots together")}</caption>
          <thead>
            <tr>
              <th scope="col">{t("Place")}</th>
              <th scope="col">{t("Member")}</th>
              <th scope="col">{t("Average rank")}</th>
              {rows[0]?.weights_applied && <th scope="col">{t("Weighted")}</th>}
              <th scope="col">{t("Score (Borda)")}</th>
              <th scope="col">{t("First places")}</th>
              <th scope="col">{t("Self / peers")}</th>
              <th scope="col">{t("Same family")}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row, at) => (
              <Row
                key={row.member}
                run={run}
                row={row}
                place={`${places[at]?.place ?? at + 1}${places[at]?.tied ? "=" : ""}`}
              />
            ))}
          </tbody>
        </table>
      </ScrollBox>
      <Explain label={t("What the columns mean")}>
        <dl>
          {columns.map(([name, meaning]) => (
            <div key={name}>
              <dt>{t(name)}</dt>
              <dd>{t(meaning)}</dd>
            </div>
          ))}
          {rows.some(isCorrected) && (
            <div>
              <dt>{t("In brackets")}</dt>
              <dd>{t("The average rank as it would be without the corrections.")}</dd>
            </div>
          )}
        </dl>
      </Explain>
    </>
  );
}
