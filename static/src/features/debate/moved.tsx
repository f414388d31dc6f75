import { t } from "../../i18n";
import type { RunState } from "../../run/state";
import { FoldedSection } from "../../ui/disclosure";
import { listText, shortName } from "../../ui/format";
import { placesOf } from "../council/ballots";
import { Monogram } from "../council/monogram";
import { membersOf } from "../formats";
import { showStatement } from "./jump";
import type { DebateState } from "./state";
import { labelText, type Move, movesOf, shortLabel } from "./words";

/** The place that the ballots gave to a member's opening. */
const placeIn = (run: RunState) => {
  const places = placesOf(run.aggregate);
  return (member: string) => {
    const at = run.aggregate.findIndex((row) => row.member === member);
    return places[at]?.place || null;
  };
};

function outcome({ changed, after }: Move): string {
  if (changed === undefined) return t("not said");
  if (!changed) return t("not changed");
  const others = listText(after.map(shortLabel));
  return others ? t("changed after {{others}}", { others }) : t("changed");
}

function Row({ run, move, seat }: { run: RunState; move: Move; seat: number }) {
  const { label, member, place, changed, why, round } = move;
  return (
    <tr>
      <th scope="row">
        <span className="move-who">
          <Monogram member={shortLabel(label)} seat={seat} />
          <span>
            {shortLabel(label)}
            {shortName(label) !== shortName(member) && (
              <span className="model-id"> {shortName(member)}</span>
            )}
          </span>
        </span>
      </th>
      <td>
        {place ? (
          <>
            <span className="move-of">{t("opening")} </span>
            {place}
          </>
        ) : (
          "–"
        )}
      </td>
      <td>
        <button
          type="button"
          className={changed ? "badge badge-kind move-said" : "badge move-said"}
          aria-label={t("{{label}}: {{outcome}}, to where it says so", {
            label: labelText(label),
            outcome: outcome(move),
          })}
          onClick={() => showStatement(run, round, label)}
        >
          {outcome(move)}
        </button>
      </td>
      <td className="move-why">{why}</td>
    </tr>
  );
}

/** Who has changed its mind, after whose argument; nothing where nobody was asked. */
export function Moved({ run, debate }: { run: RunState; debate: DebateState }) {
  const moves = movesOf(debate, placeIn(run));
  if (moves.length === 0) return null;
  const changed = moves.filter((move) => move.changed).length;
  const members = membersOf(run);
  return (
    <FoldedSection
      title={t("Who moved")}
      summary={t("{{changed}} of {{count, number}} changed their position", {
        changed,
        count: moves.length,
      })}
      startOpen
    >
      {() => (
        <table className="moves">
          <caption className="visually-hidden">
            {t("Positions before and after the debate")}
          </caption>
          <thead>
            <tr>
              <th scope="col">{t("Speaker")}</th>
              <th scope="col">{t("Opening’s place")}</th>
              <th scope="col">{t("Position")}</th>
              <th scope="col">{t("In its own words")}</th>
            </tr>
          </thead>
          <tbody>
            {moves.map((move) => (
              <Row
                key={move.label}
                run={run}
                move={move}
                seat={Math.max(0, members.indexOf(move.member))}
              />
            ))}
          </tbody>
        </table>
      )}
    </FoldedSection>
  );
}
