import { type Reach, useAgainstBest, type Whose } from "../../api/insight";
import type { AgainstBest as Facts } from "../../api/types";
import { msg, t } from "../../i18n";
import { count, money, percent, rank } from "../../ui/format";
import { Bar } from "./bar";
import { Answered, Nothing, Panel } from "./panel";

function Lines({ rows }: { rows: readonly (readonly [string, string, number])[] }) {
  return (
    <dl className="lines">
      {rows.map(([name, figure, part]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{figure}</dd>
          <Bar percent={part} />
        </div>
      ))}
    </dl>
  );
}

/** Over how many runs the costs are averages. */
function basis({ cost_ratio: ratio, priced_runs: priced, runs }: Facts): string {
  const isPart = priced < runs;
  const values = { count: priced, ratio: rank(ratio), more: count(runs - priced) };
  if (ratio) {
    return t(
      isPart
        ? "{{ratio}} times the cost, on average over {{count, number}} runs; in {{more}} more the price of some call is unknown."
        : "{{ratio}} times the cost, on average over {{count, number}} runs.",
      values,
    );
  }
  return t(
    isPart
      ? "On average over {{count, number}} runs; in {{more}} more the price of some call is unknown."
      : "On average over {{count, number}} runs.",
    values,
  );
}

function Costs({ facts }: { facts: Facts }) {
  const { council_cost: council, member_cost: member } = facts;
  if (council === null || council === undefined || member === null || member === undefined) {
    return (
      <p className="quiet">
        {t(
          "What it costs is unknown: in none of the {{count, number}} runs is the price of every call known.",
          { count: facts.runs },
        )}
      </p>
    );
  }
  const most = Math.max(council, member);
  const part = (usd: number) => (most > 0 ? (100 * usd) / most : 0);
  return (
    <>
      <Lines
        rows={[
          [t("The whole council"), money(council), part(council)],
          [t("Its best answer alone"), money(member), part(member)],
        ]}
      />
      <p className="quiet">{basis(facts)}</p>
    </>
  );
}

function People({ facts, whose }: { facts: Facts; whose: Whose }) {
  const { council, best_member: best, other_member: other } = facts.people;
  const all = council + best + other;
  if (all === 0) {
    return (
      <Nothing>
        <p className="quiet">
          {whose === "own"
            ? t("You have not said yet which answer was the best.")
            : t("Nobody has said yet which answer was the best.")}
        </p>
      </Nothing>
    );
  }
  const row = (name: string, n: number) =>
    [name, `${count(n)} (${percent(n / all)})`, (100 * n) / all] as const;
  return (
    <Lines
      rows={[
        row(t("The council’s answer"), council),
        row(t("The best member’s"), best),
        row(t("Another member’s"), other),
      ]}
    />
  );
}

/** What the council costs compared with its best member, and which of the two people preferred. */
export function AgainstBest({ reach }: { reach: Reach }) {
  const facts = useAgainstBest(reach);
  return (
    <Panel
      title={t("Council or best member")}
      lead={t(
        "For runs with a single winner: what the whole council cost, compared with that member’s answer alone.",
      )}
    >
      <Answered query={facts} failed={msg("The comparison could not be loaded: {{reason}}")}>
        {(data) =>
          data.runs === 0 ? (
            <Nothing>
              <p className="quiet">{t("No run in this period was won by one member alone.")}</p>
            </Nothing>
          ) : (
            <>
              <h3>{t("Cost of a question")}</h3>
              <Costs facts={data} />
              <h3>{t("Chosen as the best answer")}</h3>
              <People facts={data} whose={reach.whose} />
              <p className="quiet">
                {t(
                  "This does not mean that asking this one model would have been enough: which member is best is known only after the council has answered.",
                )}
              </p>
            </>
          )
        }
      </Answered>
    </Panel>
  );
}
