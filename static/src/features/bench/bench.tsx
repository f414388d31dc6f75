import type { ReactNode } from "react";
import { Link } from "wouter";
import { type BenchReport, useBench, type VariantRow } from "../../api/bench";
import { msg, t } from "../../i18n";
import { count, duration, money, numberFormat, percent } from "../../ui/format";
import { Notice } from "../../ui/notice";
import { ScrollBox } from "../../ui/scroll-box";
import { useTitle } from "../../ui/title";
import { Figure } from "../dashboard/figure";
import { Answered, Panel } from "../dashboard/panel";
import { commands, cost, points, rangeText, statusText, verdict } from "./words";

type Score = Pick<VariantRow, "right" | "counted" | "accuracy" | "spent" | "right_per_usd">;

/** The share of right answers from 0 to 100 %, between the ends of its range. */
function ShareBar({ share }: { share: NonNullable<VariantRow["accuracy"]> }) {
  return (
    <svg
      className="interval"
      viewBox="0 0 100 20"
      preserveAspectRatio="none"
      aria-hidden="true"
      focusable="false"
    >
      <line className="interval-mean" x1="50" x2="50" y1="0" y2="20" />
      <rect
        className="interval-span"
        x={100 * share.low}
        width={Math.max(0.5, 100 * (share.high - share.low))}
        y="6"
        height="8"
      />
      <line
        className="interval-rating"
        x1={100 * share.value}
        x2={100 * share.value}
        y1="3"
        y2="17"
      />
    </svg>
  );
}

const perDollar = numberFormat({ maximumSignificantDigits: 3 });

function ScoreCells({ of }: { of: Score }) {
  return (
    <>
      <td>
        {count(of.right)}{" "}
        <span className="against">{t("of {{all}}", { all: count(of.counted) })}</span>
      </td>
      <td className="interval-cell">
        {of.accuracy ? (
          <>
            <ShareBar share={of.accuracy} />
            <strong>{percent(of.accuracy.value, 1)}</strong>{" "}
            <span className="interval-ends">{rangeText(of.accuracy)}</span>
          </>
        ) : (
          "–"
        )}
      </td>
      <td>{cost(of.spent)}</td>
      <td>{of.right_per_usd ? perDollar(of.right_per_usd) : "–"}</td>
    </>
  );
}

function ScoreTable({
  caption,
  first,
  more,
  children,
}: {
  caption: string;
  first: string;
  more?: ReactNode;
  children: ReactNode;
}) {
  return (
    <ScrollBox label={caption}>
      <table className="figures-table">
        <caption className="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            <th scope="col">{first}</th>
            <th scope="col">{t("Right")}</th>
            <th scope="col" className="interval-head">
              {t("Share of right answers")}
            </th>
            <th scope="col">{t("Cost")}</th>
            <th scope="col">{t("Right answers for a dollar")}</th>
            {more}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </ScrollBox>
  );
}

function Variants({ report }: { report: BenchReport }) {
  return (
    <Panel
      title={t("Who is right how often")}
      lead={t(
        "The bar is the range in which the true share lies, 95 times in 100; the dashed line is at 50%. Few questions make it wide. Where two bars overlap a lot, the difference may be chance.",
      )}
    >
      <ScoreTable
        caption={t("Who is right how often")}
        first={t("Asked")}
        more={<th scope="col">{t("Time of a question")}</th>}
      >
        {report.variants.map((row) => (
          <tr key={row.name}>
            <th scope="row">{row.name}</th>
            <ScoreCells of={row} />
            <td>{row.median_ms ? duration(row.median_ms) : "–"}</td>
          </tr>
        ))}
      </ScoreTable>
      <Left rows={report.variants} />
    </Panel>
  );
}

/** Answers that are not simply right or wrong. */
function Left({ rows }: { rows: readonly VariantRow[] }) {
  const sum = (of: (row: VariantRow) => number) => rows.reduce((all, row) => all + of(row), 0);
  const lines: readonly (readonly [number, string])[] = [
    [sum((row) => row.failed), msg("{{count, number}} answers did not come; they count as wrong.")],
    [
      sum((row) => row.unreadable),
      msg("In {{count, number}} texts no answer was found; they count as wrong."),
    ],
    [
      sum((row) => row.undecided),
      msg(
        "For {{count, number}} answers the judge said yes in one order and no in the other; they count as wrong.",
      ),
    ],
    [
      sum((row) => row.ungraded),
      msg(
        "{{count, number}} answers were not graded, for want of the judge’s reply or of budget; they do not count.",
      ),
    ],
  ];
  const said = lines.filter(([number]) => number > 0);
  if (said.length === 0) return null;
  return (
    <ul className="quiet">
      {said.map(([number, text]) => (
        <li key={text}>{t(text, { count: number })}</li>
      ))}
    </ul>
  );
}

function Council({ row }: { row: VariantRow }) {
  const { against_best: best, all_missed: missed, members = [] } = row;
  return (
    <Panel
      title={t("{{name}} and its members", { name: row.name })}
      lead={best ? verdict(best) : undefined}
    >
      <dl className="tiles">
        {best?.difference && (
          <Figure
            name={t("Ahead of its best member, in points")}
            note={t("{{from}} to {{until}}", {
              from: points(best.difference.low),
              until: points(best.difference.high),
            })}
          >
            {points(best.difference.value)}
          </Figure>
        )}
        {best && (
          <>
            <Figure name={t("Only the council right")}>{count(best.only_council)}</Figure>
            <Figure name={t("Only {{member}} right", { member: best.member })}>
              {count(best.only_member)}
            </Figure>
          </>
        )}
        {missed && (
          <Figure
            name={t("Missed by every member")}
            note={t("of {{all}}; the council was right in {{right}} of them", {
              all: count(missed.of),
              right: count(missed.council_right),
            })}
          >
            {count(missed.questions)}
          </Figure>
        )}
      </dl>
      <p className="quiet">
        {t(
          "A member’s answer is the one that it gave in the council, before anybody had reviewed it. The best member is known only afterwards, which flatters it a little. What every member misses, a council hardly ever finds.",
        )}
      </p>
      <ScoreTable caption={t("Its members alone")} first={t("Member")}>
        {members.map((member) => (
          <tr key={member.member}>
            <th scope="row">{member.member}</th>
            <ScoreCells of={member} />
          </tr>
        ))}
      </ScoreTable>
    </Panel>
  );
}

function Notices({ report }: { report: BenchReport }) {
  return (
    <>
      {report.simulated && (
        <Notice tone="warn">
          {t("Some models are simulated: their answers are made up, and so are these figures.")}
        </Notice>
      )}
      {report.status === "over_budget" && (
        <Notice tone="warn">
          {t(
            "The budget was used up before every question was asked: this table is only a part of the whole.",
          )}
        </Notice>
      )}
      {report.status === "stopped" && (
        <Notice>
          {t("It was stopped, and can be resumed:")} <code>{commands.resume(report.name)}</code>
        </Notice>
      )}
    </>
  );
}

/** The table of one bench. */
export function Bench({ id }: { id: string }) {
  const bench = useBench(id);
  const name = bench.data?.report.name ?? t("Bench");
  useTitle(name);
  return (
    <>
      <header className="dashboard-head">
        <div className="dashboard-title">
          <p className="crumb">
            <Link href="/dashboard/bench">{t("Benches")}</Link>
          </p>
          <h1>{name}</h1>
        </div>
      </header>
      <Answered query={bench} failed={msg("The bench could not be loaded: {{reason}}")} lines={6}>
        {({ report }) => (
          <div className="model-parts">
            <Notices report={report} />
            <dl className="tiles">
              <Figure name={t("State")}>{statusText(report.status)}</Figure>
              <Figure
                name={t("Questions")}
                note={t("{{number}} answered by all", { number: count(report.done) })}
              >
                {count(report.questions)}
              </Figure>
              <Figure
                name={t("Paid")}
                note={t("at most {{most}}; {{grading}} for grading", {
                  most: money(report.max_cost_usd),
                  grading: money(report.grading.usd),
                })}
              >
                {cost(report.spent)}
              </Figure>
            </dl>
            <Variants report={report} />
            {report.variants
              .filter((row) => (row.members ?? []).length > 0)
              .map((row) => (
                <Council key={row.name} row={row} />
              ))}
          </div>
        )}
      </Answered>
    </>
  );
}
