import { Link } from "wouter";
import { type BenchSummary, useBenches } from "../../api/bench";
import { msg, t } from "../../i18n";
import { count, dateFormat, money, when } from "../../ui/format";
import { MoreButton } from "../../ui/more-button";
import { ScrollBox } from "../../ui/scroll-box";
import { useTitle } from "../../ui/title";
import { Answered, Panel } from "../dashboard/panel";
import { commands, cost, statusText } from "./words";

const day = dateFormat({ dateStyle: "medium", timeStyle: "short" });

function Row({ bench }: { bench: BenchSummary }) {
  return (
    <tr>
      <th scope="row">
        <Link href={`/dashboard/bench/${bench.id}`}>{bench.name}</Link>
      </th>
      <td className="text">{statusText(bench.status)}</td>
      <td>{count(bench.questions)}</td>
      <td>
        {count(bench.done)}{" "}
        <span className="against">
          {t("of {{all}}", { all: count(bench.questions * bench.variants) })}
        </span>
      </td>
      <td>
        {cost({ usd: bench.spent_usd, unpriced_calls: bench.unpriced_calls })}{" "}
        <span className="against">{t("of {{all}}", { all: money(bench.max_cost_usd) })}</span>
      </td>
      <td>{day(when(bench.created_at))}</td>
    </tr>
  );
}

/** The reader's benches. They are begun on the command line. */
export function BenchList() {
  useTitle(t("Benches"));
  const benches = useBenches();
  return (
    <>
      <header className="dashboard-head">
        <div className="dashboard-title">
          <p className="crumb">
            <Link href="/dashboard">{t("Dashboard")}</Link>
          </p>
          <h1>{t("Benches")}</h1>
          <p className="quiet">
            {t(
              "Questions whose answers are known, asked of several councils and models: which of them is right more often, and at what price?",
            )}
          </p>
        </div>
      </header>
      <Panel title={t("Your benches")}>
        <Answered query={benches} failed={msg("The benches could not be loaded: {{reason}}")}>
          {({ pages }) => {
            const list = new Map(
              pages.flatMap(({ items }) => items).map((bench) => [bench.id, bench]),
            );
            if (list.size === 0) {
              return (
                <>
                  <p>{t("There are no benches yet. One is started on the command line:")}</p>
                  <p>
                    <code>{commands.begin}</code>
                  </p>
                </>
              );
            }
            return (
              <>
                <ScrollBox label={t("Your benches")}>
                  <table className="figures-table">
                    <thead>
                      <tr>
                        <th scope="col">{t("Name")}</th>
                        <th scope="col" className="text">
                          {t("State")}
                        </th>
                        <th scope="col">{t("Questions")}</th>
                        <th scope="col">{t("Answers")}</th>
                        <th scope="col">{t("Paid")}</th>
                        <th scope="col">{t("Begun")}</th>
                      </tr>
                    </thead>
                    <tbody>
                      {[...list.values()].map((bench) => (
                        <Row key={bench.id} bench={bench} />
                      ))}
                    </tbody>
                  </table>
                </ScrollBox>
                <MoreButton list={benches} label={t("Show more")} />
              </>
            );
          }}
        </Answered>
      </Panel>
    </>
  );
}
