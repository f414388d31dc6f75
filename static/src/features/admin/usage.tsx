import { Link } from "wouter";
import { type UsageBy, type UsageWanted, usageHref, useUsage } from "../../api/admin";
import type { Money, UsageRow } from "../../api/types";
import { msg, t } from "../../i18n";
import { count } from "../../ui/format";
import { Icon } from "../../ui/icon";
import { ScrollBox } from "../../ui/scroll-box";
import { Bar } from "../dashboard/bar";
import { Choice } from "../dashboard/choice";
import { Cost, CostNotes } from "../dashboard/cost";
import { sumOfCosts } from "../dashboard/figures";
import { formatName } from "../dashboard/format-names";
import { Answered, Nothing, Panel } from "../dashboard/panel";
import { RangeBar } from "../dashboard/range-bar";
import { dayName, spanError, spanText } from "../dashboard/span";
import { useSpan } from "../dashboard/use-span";
import { KnownUsers } from "./known-users";
import { Narrowing, narrowedTo, UserField, useNarrowed } from "./narrowed";

const ways: readonly (readonly [UsageBy, string])[] = [
  ["user", msg("User")],
  ["model", msg("Model")],
  ["day", msg("Day")],
  ["format", msg("Format")],
];

const captions: Record<UsageBy, string> = {
  user: msg("Usage by user"),
  model: msg("Usage by model"),
  day: msg("Usage by day"),
  format: msg("Usage by format"),
};

/** What a row is called, where its name is no name. */
const nameOf: Partial<Record<UsageBy, (name: string) => string>> = {
  day: dayName,
  format: formatName,
};

const costOf = (row: UsageRow): Money => ({
  total_cost: row.cost_usd ?? null,
  unknown_cost_calls: row.unpriced_calls,
  estimated_cost_calls: row.estimated_calls,
});

function Table({ rows, by, user }: { rows: readonly UsageRow[]; by: UsageBy; user: string }) {
  if (rows.length === 0)
    return (
      <Nothing>
        <p className="quiet">
          {user === ""
            ? t("Nobody asked anything in this period.")
            : t("{{user}} asked nothing in this period.", { user })}
        </p>
      </Nothing>
    );
  const all = sumOfCosts(rows.map(costOf));
  const most = Math.max(...rows.map((row) => row.cost_usd ?? 0));
  const sum = (value: (row: UsageRow) => number) =>
    count(rows.reduce((total, row) => total + value(row), 0));
  const name = ways.find(([way]) => way === by)?.[1] ?? msg("Name");
  return (
    <>
      <ScrollBox label={t("Usage")}>
        <table className="figures-table usage">
          <caption className="visually-hidden">{t(captions[by])}</caption>
          <thead>
            <tr>
              <th scope="col">{t(name)}</th>
              <th scope="col">{t("Cost")}</th>
              <th scope="col">{t("Runs")}</th>
              <th scope="col">{t("Calls")}</th>
              <th scope="col">{t("Failed")}</th>
              <th scope="col">{t("Input tokens")}</th>
              <th scope="col">{t("Output tokens")}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.name}>
                <th scope="row">
                  <span className="usage-name">
                    {by === "user" ? (
                      <Link href={narrowedTo("/admin/runs", row.name)}>{row.name}</Link>
                    ) : (
                      (nameOf[by]?.(row.name) ?? row.name)
                    )}
                  </span>
                </th>
                <td>
                  <span className="cell-bar">
                    <Bar percent={most > 0 ? (100 * (row.cost_usd ?? 0)) / most : 0} />
                    <span>
                      <Cost of={costOf(row)} />
                    </span>
                  </span>
                </td>
                <td>{count(row.runs)}</td>
                <td>{count(row.calls)}</td>
                <td>
                  {row.failed_calls > 0 ? (
                    <span className="some-failed">{count(row.failed_calls)}</span>
                  ) : (
                    "0"
                  )}
                </td>
                <td>{count(row.prompt_tokens)}</td>
                <td>{count(row.completion_tokens)}</td>
              </tr>
            ))}
          </tbody>
          <tfoot>
            <tr>
              <th scope="row">{t("Total")}</th>
              <td>
                <Cost of={all} />
              </td>
              {/* A run stands in a line for each of its models, and of its days: there runs do not add up. */}
              <td>{by === "user" || by === "format" ? sum((row) => row.runs) : null}</td>
              <td>{sum((row) => row.calls)}</td>
              <td>{sum((row) => row.failed_calls)}</td>
              <td>{sum((row) => row.prompt_tokens)}</td>
              <td>{sum((row) => row.completion_tokens)}</td>
            </tr>
          </tfoot>
        </table>
      </ScrollBox>
      <CostNotes of={all} />
    </>
  );
}

function Report({ wanted }: { wanted: UsageWanted }) {
  const usage = useUsage(wanted);
  return (
    <Answered query={usage} failed={msg("The usage could not be loaded: {{reason}}")} lines={6}>
      {/* What was shown before keeps its own names until the new report is there. */}
      {({ by, rows }) => <Table rows={rows} by={by} user={wanted.user} />}
    </Answered>
  );
}

/** Who used what, and what it cost. */
export function Usage() {
  const [span, setSpan] = useSpan();
  const [user, setUser] = useNarrowed("user");
  const [grouped, setBy] = useNarrowed("by");
  // Grouped by users, the usage of one is a single line.
  const by = ways.find(([way]) => way === grouped)?.[0] ?? (user === "" ? "user" : "model");
  const wanted: UsageWanted = { by, span, user };
  const error = spanError(span);
  return (
    <>
      <RangeBar span={span} onChoose={setSpan} />
      <Panel
        title={t("Usage")}
        lead={t(
          "Usage and cost {{when}}. Days are in UTC. Viewing this is recorded in the audit log.",
          { when: spanText(span) },
        )}
      >
        <KnownUsers />
        <Narrowing>
          <UserField value={user} onNarrow={setUser} />
        </Narrowing>
        <div className="panel-tools">
          <Choice
            label={t("Grouped by")}
            options={ways.map(([way, name]) => [way, t(name)])}
            value={by}
            onChoose={setBy}
          />
          {!error && (
            <a className="quiet-button" href={usageHref(wanted, "csv")} download>
              <Icon name="download" />
              {t("Download as CSV")}
            </a>
          )}
        </div>
        {!error && <Report wanted={wanted} />}
      </Panel>
    </>
  );
}
