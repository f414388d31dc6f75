import { Link } from "wouter";
import { eachOnce } from "../../api/pages";
import { type ScheduleResult, useScheduleResults } from "../../api/schedules";
import { msg, t } from "../../i18n";
import { dateFormat, sentence, when } from "../../ui/format";
import { knownCost } from "../../ui/known-cost";
import { MoreButton } from "../../ui/more-button";
import { ReadFailed } from "../../ui/read-failed";
import { RunBadge } from "../dashboard/run-status";
import { refusalText } from "./refusal";

const clock = dateFormat({ dateStyle: "medium", timeStyle: "short" });

/** Why nothing was asked: in the reader's language where that is known, else as the server said it. */
function Refusal({ text, problem }: { text: string; problem: ScheduleResult["problem"] }) {
  const known = problem ? refusalText(problem) : null;
  return (
    <span className="schedule-refusal" lang={known === null ? "en" : undefined}>
      {known ?? sentence(text)}
    </span>
  );
}

type Run = NonNullable<ScheduleResult["run"]>;

/** Whether a call of it reached a model: before that it has no cost. */
const hasCost = ({ cost_usd: cost, unknown_cost_calls: unknown }: Run) =>
  (cost ?? null) !== null || unknown > 0;

/** What came of one time: the way to the answer, or why there is none. */
export function Result({ result }: { result: ScheduleResult }) {
  const { run, refusal, due_at: due } = result;
  const time = clock(when(result.created_at));
  return (
    <>
      <span className="schedule-result">
        {run ? <RunBadge status={run.status} /> : <span className="badge">{t("not asked")}</span>}
        {run?.conversation_id ? (
          <Link href={`/c/${run.conversation_id}`} className="schedule-link">
            {t("Answer of {{time}}", { time })}
          </Link>
        ) : (
          <time dateTime={`${result.created_at}Z`}>{time}</time>
        )}
        {run && (
          <span className="schedule-facts">
            {[
              hasCost(run) && knownCost(run.cost_usd, run.unknown_cost_calls),
              !run.conversation_id && t("conversation deleted"),
              !due && t("asked by hand"),
            ]
              .filter(Boolean)
              .join(" · ")}
          </span>
        )}
      </span>
      {refusal && <Refusal text={refusal} problem={result.problem} />}
    </>
  );
}

/** What came of a schedule, the newest first. */
export function Results({ schedule }: { schedule: string }) {
  const list = useScheduleResults(schedule);
  const results = eachOnce(list.data?.pages, (page) => page.results);
  if (list.isPending) return <p className="quiet">{t("Loading results…")}</p>;
  if (list.isError && !list.data) {
    return <ReadFailed text={msg("Results could not be loaded: {{reason}}")} query={list} />;
  }
  if (results.length === 0) return <p className="quiet">{t("Nothing was asked yet.")}</p>;
  return (
    <>
      <ul className="schedule-results">
        {results.map((result) => (
          <li key={result.id}>
            <Result result={result} />
          </li>
        ))}
      </ul>
      <MoreButton list={list} label={t("Show more")} />
      {!list.hasNextPage && (
        <p className="field-hint">{t("Results are kept for 90 days, conversations as always.")}</p>
      )}
    </>
  );
}
