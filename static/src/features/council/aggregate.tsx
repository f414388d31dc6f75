import type { AggregateFacts, AggregateRow } from "../../api/types";
import type { RunState } from "../../run/state";
import { plural, rank, share, shortName } from "../../ui/format";
import { ScrollBox } from "../../ui/scroll-box";
import { placesOf, ranksOf } from "./ballots";
import { Monogram } from "./monogram";

const seatIn = (run: RunState, member: string) =>
  Math.max(
    0,
    run.answers.findIndex((answer) => answer.seat.member === member),
  );

/** Who ranked whom: a row for each reviewer, a column for each answer. */
export function Matrix({ run }: { run: RunState }) {
  const labels = Object.keys(run.labelToMember).sort();
  if (labels.length === 0 || run.reviews.length === 0) return null;
  return (
    <ScrollBox label="Who ranked whom">
      <table className="matrix">
        <caption>
          Who ranked whom. 1 is best; a dashed cell is the reviewer's own answer
          {run.facts && !run.facts.count_self_votes ? ", which does not count" : ""}.
        </caption>
        <thead>
          <tr>
            <th scope="col">Reviewer</th>
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
                {status === "writing" && <span className="matrix-note">reviewing…</span>}
                {status === "failed" && <span className="matrix-note">failed</span>}
                {status === "done" && result?.parse === "none" && (
                  <span className="matrix-note">abstained</span>
                )}
                {result && result.parse !== "none" && !result.counts && !result.error && (
                  <span className="matrix-note">not counted</span>
                )}
              </th>
              {ranksOf(result, labels).map((cell) => {
                const own = run.labelToMember[cell.label] === seat.member;
                const strength = cell.rank ? Math.min(cell.rank, 4) : 0;
                return (
                  <td key={cell.label} className={`rank-${strength}${own ? " matrix-own" : ""}`}>
                    {cell.rank === null ? "–" : cell.tied ? `${cell.rank}=` : cell.rank}
                    {own && <span className="visually-hidden"> (own answer)</span>}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollBox>
  );
}

function agreementSentence({ agreement }: AggregateFacts): string | null {
  const value = agreement?.value ?? null;
  if (!agreement || value === null) return null;
  const measure = agreement.measure === "kendall_w" ? "Kendall's W" : "mean tau-b";
  const chance =
    (agreement.expected_by_chance ?? null) === null
      ? ""
      : `; chance alone would give ${share(agreement.expected_by_chance)}`;
  return `The reviewers agree to ${share(value)} (${measure}, 1 is full agreement)${chance}.`;
}

function verdict(facts: AggregateFacts): string {
  const ballots = plural(facts.ballots, "ballot");
  const abstained = facts.abstentions ? ` and ${plural(facts.abstentions, "abstention")}` : "";
  if (facts.winner_is_tie) return `No clear winner, by ${ballots}${abstained}.`;
  if (!facts.winner) return `No winner, by ${ballots}${abstained}.`;
  return `${shortName(facts.winner)} was ranked best, by ${ballots}${abstained}.`;
}

function Sentences({ facts }: { facts: AggregateFacts }) {
  const hangs = facts.winner_depends_on ?? [];
  const sentences = [
    agreementSentence(facts),
    facts.methods_disagree ?? null,
    facts.unplaced?.length
      ? `No counted ballot places ${facts.unplaced.map(shortName).join(", ")}.`
      : null,
    hangs.length > 0
      ? `The result hangs on a single ballot: without that of ${hangs.map(shortName).join(" or ")} it would be another.`
      : null,
    facts.count_self_votes ? "Votes for one's own answer count here." : null,
  ].filter((sentence) => sentence !== null && sentence !== "");
  return (
    <div className="verdict">
      <p className="verdict-head">{verdict(facts)}</p>
      {sentences.map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
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
        ({by > 0 ? "gained" : "lost"} {plural(Math.abs(by), "place")} by the weights)
      </span>
    </span>
  );
}

function Row({ run, row, place }: { run: RunState; row: AggregateRow; place: string }) {
  return (
    <tr>
      <td className="place">{place}</td>
      <th scope="row" title={row.model}>
        <Monogram member={row.member} seat={seatIn(run, row.member)} />
        {shortName(row.member)}
      </th>
      <td>{rank(row.average_rank)}</td>
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

export function Aggregate({ run }: { run: RunState }) {
  const { aggregate: rows, facts } = run;
  if (rows.length === 0) return facts ? <Sentences facts={facts} /> : null;
  const places = placesOf(rows);
  const hasWinner = facts?.winner && !facts.winner_is_tie;
  return (
    <>
      {facts && <Sentences facts={facts} />}
      <ScrollBox label="Aggregate ranking">
        <table className={hasWinner ? "aggregate aggregate-clear" : "aggregate"}>
          <caption>The aggregate of all ballots</caption>
          <thead>
            <tr>
              <th scope="col">Place</th>
              <th scope="col">Member</th>
              <th scope="col">Average rank</th>
              {rows[0]?.weights_applied && <th scope="col">Weighted</th>}
              <th scope="col" title="Mean normalised Borda score, 0 to 1">
                Borda
              </th>
              <th scope="col">First places</th>
              <th scope="col" title="Rank of its own answer by itself, and by the others">
                Self / peers
              </th>
              <th scope="col" title="Votes by reviewers of the same model family">
                Same family
              </th>
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
    </>
  );
}
