import { type ReactNode, useState } from "react";
import { type Reach, useAnalytics, type Whose } from "../../api/insight";
import type { Analytics, ModelFigures } from "../../api/types";
import { msg, t } from "../../i18n";
import { count, duration, listText, share } from "../../ui/format";
import { ScrollBox } from "../../ui/scroll-box";
import { Bar } from "./bar";
import { Cost, CostLegend } from "./cost";
import { compact, oneDecimal, sortedBy, winRate } from "./figures";
import { ModelLink } from "./model-name";
import { Answered, Panel } from "./panel";

interface Row extends ModelFigures {
  model: string;
}

interface Column {
  key: string;
  title: string;
  hint?: string;
  value: (row: Row) => number | string | null | undefined;
  /** Which end is the better one, and comes first at the first press. */
  descending: boolean;
  cell: (row: Row) => ReactNode;
}

const columns: readonly Column[] = [
  {
    key: "wins",
    title: msg("Win rate"),
    hint: msg("First places among the ranked answers; a shared one is a part of one"),
    value: (row) => row.win_rate,
    descending: true,
    cell: (row) => (
      <span className="cell-bar">
        <Bar percent={row.win_rate ?? 0} />
        {winRate(row.win_rate)}
      </span>
    ),
  },
  {
    key: "rank",
    title: msg("Average rank"),
    hint: msg("1 is best"),
    value: (row) => row.average_rank,
    descending: false,
    cell: (row) => share(row.average_rank),
  },
  {
    key: "confidence",
    title: msg("Confidence"),
    hint: msg("How sure it said it was of its own answers, 1 to 10"),
    value: (row) => row.average_confidence,
    descending: true,
    cell: (row) => oneDecimal(row.average_confidence),
  },
  {
    key: "answers",
    title: msg("Answers"),
    value: (row) => row.total_queries,
    descending: true,
    cell: (row) => count(row.total_queries),
  },
  {
    key: "time",
    title: msg("Time"),
    hint: msg("Median time of a whole answer"),
    value: (row) => row.latency_ms?.median,
    descending: false,
    cell: (row) => (row.latency_ms ? duration(row.latency_ms.median) : "–"),
  },
  {
    key: "tokens",
    title: msg("Tokens"),
    value: (row) => row.total_tokens,
    descending: true,
    cell: (row) => compact(row.total_tokens),
  },
  {
    key: "cost",
    title: msg("Cost"),
    hint: msg("All its calls, for any purpose"),
    value: (row) => row.total_cost,
    descending: true,
    cell: (row) => <Cost of={row} />,
  },
  {
    key: "failures",
    title: msg("Failed calls"),
    value: (row) => row.failures,
    descending: true,
    cell: (row) =>
      row.failures === 0 ? (
        "0"
      ) : (
        <span className="some-failed">
          {count(row.failures)}{" "}
          <span className="against">{t("of {{all}}", { all: count(row.total_calls) })}</span>
        </span>
      ),
  },
];

function Head({
  column,
  sort,
  onSort,
}: {
  column: Column;
  sort: { key: string; descending: boolean };
  onSort: (sort: { key: string; descending: boolean }) => void;
}) {
  const chosen = sort.key === column.key;
  const direction = sort.descending ? "descending" : "ascending";
  return (
    <th scope="col" aria-sort={chosen ? direction : "none"} title={column.hint && t(column.hint)}>
      <button
        type="button"
        className="sort-button"
        onClick={() =>
          onSort({
            key: column.key,
            descending: chosen ? !sort.descending : column.descending,
          })
        }
      >
        {t(column.title)}
        <span className="sort-mark" aria-hidden="true">
          {chosen ? (sort.descending ? "▼" : "▲") : ""}
        </span>
      </button>
    </th>
  );
}

function Table({ analytics, whose }: { analytics: Analytics; whose: Whose }) {
  const [sort, setSort] = useState({ key: "wins", descending: true });
  const column = columns.find(({ key }) => key === sort.key);
  const all = Object.entries(analytics.models).map(([model, row]) => ({ model, ...row }));
  // Chairmen and helpers that never answered are in the costs, and in no ranking.
  const members = all.filter((row) => row.total_queries > 0);
  const helpers = all.filter((row) => row.total_queries === 0);
  const rows = column ? sortedBy(members, column.value, sort.descending) : members;
  const unranked = members.filter((row) => row.ranked_queries === 0).length;
  return (
    <>
      <ScrollBox label={t("Leaderboard")}>
        <table className="figures-table board">
          <caption className="visually-hidden">{t("Models and how they did")}</caption>
          <thead>
            <tr>
              <th scope="col">{t("Model")}</th>
              {columns.map((one) => (
                <Head key={one.key} column={one} sort={sort} onSort={setSort} />
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.model}>
                <th scope="row">
                  <ModelLink model={row.model} whose={whose} />
                </th>
                {columns.map((one) => (
                  <td key={one.key}>{one.cell(row)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollBox>
      {unranked > 0 && (
        <p className="quiet">{t("A model whose answers nobody has ranked yet has no win rate.")}</p>
      )}
      {helpers.length > 0 && (
        <p className="quiet">
          {t("Not listed, having given no answer to rank: {{models}}.", {
            models: listText(helpers.map((row) => row.model)),
          })}
        </p>
      )}
      <CostLegend of={analytics.summary} />
    </>
  );
}

export function Leaderboard({ reach }: { reach: Reach }) {
  const analytics = useAnalytics(reach);
  return (
    <Panel
      title={t("Leaderboard")}
      lead={t("How the members of the council did, by the ballots of their reviewers.")}
    >
      <Answered
        query={analytics}
        failed={msg("The leaderboard could not be loaded: {{reason}}")}
        lines={6}
      >
        {(data) => <Table analytics={data} whose={reach.whose} />}
      </Answered>
    </Panel>
  );
}
