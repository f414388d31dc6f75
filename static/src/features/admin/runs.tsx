import { useState } from "react";
import { stopRun, useRuns } from "../../api/admin";
import type { RunRow } from "../../api/types";
import { msg, t } from "../../i18n";
import { useAttempt } from "../../ui/attempt";
import { Confirm } from "../../ui/confirm";
import { count, duration } from "../../ui/format";
import { ScrollBox } from "../../ui/scroll-box";
import { Cost } from "../dashboard/cost";
import { formatName } from "../dashboard/format-names";
import { Answered, Nothing, Panel } from "../dashboard/panel";
import { RunBadge } from "../dashboard/run-status";
import { KnownUsers } from "./known-users";
import { More } from "./more";
import { Narrowing, UserField, useNarrowed } from "./narrowed";
import { lasted, timeOf } from "./times";

/** Why a run failed; why its calls did is another question. */
const reasons: Record<string, string> = {
  no_answers: msg("no member answered"),
  internal: msg("internal error"),
  abandoned: msg("given up after several crashes"),
  unreadable_plan: msg("its plan could not be read"),
  picture_gone: msg("a picture of the question is gone"),
  picture_unreadable: msg("a picture of the question could not be read"),
  stopped_by_administrator: msg("by an administrator"),
};

const isLive = ({ status }: RunRow) => status === "queued" || status === "running";

function Stop({ run: { id, user } }: { run: RunRow }) {
  const [asked, setAsked] = useState(false);
  const { busy, attempt } = useAttempt();
  const stop = () => attempt(() => stopRun(id), msg("Not stopped: {{message}}"));
  return (
    <>
      <button
        type="button"
        className="button run-stop"
        aria-label={t("Stop the run of {{user}}", { user })}
        aria-disabled={busy}
        onClick={() => setAsked(true)}
      >
        {t("Stop")}
      </button>
      {asked && (
        <Confirm
          title={t("Stop the run of {{user}}?", { user })}
          actions={[
            {
              label: t("Stop"),
              tone: "danger",
              run: () => {
                setAsked(false);
                stop();
              },
            },
          ]}
          cancel={t("Let it go on")}
          onCancel={() => setAsked(false)}
        >
          <p>
            {t(
              "The answer that is being written ends here, and {{user}} is told that an administrator has stopped it.",
              { user },
            )}
          </p>
        </Confirm>
      )}
    </>
  );
}

function Row({ run }: { run: RunRow }) {
  const ms = lasted(run.created_at, run.finished_at);
  return (
    <tr>
      <th scope="row" className="time">
        {timeOf(run.created_at)}
      </th>
      <td className="text">
        <span className="usage-name">{run.user}</span>
      </td>
      <td className="text">{formatName(run.format)}</td>
      <td className="text">
        <RunBadge status={run.status} />
        {run.error_kind && (
          <span className="run-why">
            {" "}
            {t(reasons[run.error_kind] ?? run.error_kind.replaceAll("_", " "))}
          </span>
        )}
        {isLive(run) && <Stop run={run} />}
        {run.attempt > 1 && (
          <span className="run-why" title={t("The server that ran it stopped or was lost")}>
            {" "}
            {t("resumed {{count, number}} times", { count: run.attempt - 1 })}
          </span>
        )}
      </td>
      <td>
        {run.failed_calls > 0 ? (
          <span className="some-failed">
            {count(run.failed_calls)}{" "}
            <span className="against">{t("of {{all}}", { all: count(run.calls) })}</span>
          </span>
        ) : (
          <span className="against">{t("0 of {{all}}", { all: count(run.calls) })}</span>
        )}
      </td>
      <td>{ms === null ? "–" : duration(ms)}</td>
      <td>
        <Cost
          of={{
            total_cost: run.cost_usd ?? null,
            unknown_cost_calls: run.unpriced_calls,
            estimated_cost_calls: run.estimated_calls,
          }}
        />
      </td>
    </tr>
  );
}

/** How many runs are shown. */
const howMany = (count: number, failuresOnly: boolean): string =>
  failuresOnly
    ? t("{{count, number}} runs with failures", { count })
    : t("{{count, number}} runs", { count });

/** The text where there are no runs. */
function none(failuresOnly: boolean, user: string): string {
  if (user === "")
    return failuresOnly ? t("No run had a failure.") : t("Nobody has asked anything yet.");
  return failuresOnly
    ? t("No run of {{user}} had a failure.", { user })
    : t("{{user}} has asked nothing yet.", { user });
}

/** How the latest runs went. */
export function Runs() {
  const [failures, setFailures] = useNarrowed("failures");
  const failuresOnly = failures === "true";
  const [user, setUser] = useNarrowed("user");
  const runs = useRuns(failuresOnly, user);
  return (
    <Panel
      title={t("Runs and failures")}
      lead={t(
        "How everybody’s latest runs went. Questions and answers are private and never shown here.",
      )}
    >
      <KnownUsers />
      <Narrowing>
        <UserField value={user} onNarrow={setUser} />
        <label className="tick">
          <input
            type="checkbox"
            checked={failuresOnly}
            onChange={(event) => setFailures(event.target.checked ? "true" : "")}
          />
          {t("Only with failures")}
        </label>
      </Narrowing>
      <Answered query={runs} failed={msg("The runs could not be loaded: {{reason}}")} lines={8}>
        {({ pages }) => {
          const rows = [...new Map(pages.flat().map((run) => [run.id, run])).values()];
          return (
            <>
              {rows.length === 0 ? (
                <Nothing>
                  <p className="quiet">{none(failuresOnly, user)}</p>
                </Nothing>
              ) : (
                <ScrollBox label={t("Runs")}>
                  <table className="figures-table">
                    <caption className="visually-hidden">{t("Runs, newest first")}</caption>
                    <thead>
                      <tr>
                        <th scope="col">{t("Asked")}</th>
                        <th scope="col" className="text">
                          {t("User")}
                        </th>
                        <th scope="col" className="text">
                          {t("Format")}
                        </th>
                        <th scope="col" className="text">
                          {t("Outcome")}
                        </th>
                        <th scope="col">{t("Failed calls")}</th>
                        <th scope="col">{t("Time")}</th>
                        <th scope="col">{t("Cost")}</th>
                      </tr>
                    </thead>
                    <tbody>
                      {rows.map((run) => (
                        <Row key={run.id} run={run} />
                      ))}
                    </tbody>
                  </table>
                </ScrollBox>
              )}
              <More
                list={runs}
                shown={runs.isPlaceholderData ? t("Loading…") : howMany(rows.length, failuresOnly)}
                label={t("Older runs")}
              />
            </>
          );
        }}
      </Answered>
    </Panel>
  );
}
