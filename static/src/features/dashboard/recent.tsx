import { Link } from "wouter";
import { type Reach, useRecent } from "../../api/insight";
import type { RecentRun } from "../../api/types";
import { msg, t } from "../../i18n";
import { T } from "../../i18n/t";
import { count, dateFormat, duration, listText, shortName, when } from "../../ui/format";
import { Icon } from "../../ui/icon";
import { MoreButton } from "../../ui/more-button";
import { Cost } from "./cost";
import { formatName } from "./format-names";
import { Answered, Nothing, Panel } from "./panel";
import { RunBadge } from "./run-status";

const clock = dateFormat({ dateStyle: "medium", timeStyle: "short" });

/** Single calls, which are paid for and part of no conversation: a question that was only classified, a bench’s. */
const singleCalls: Readonly<Record<string, string>> = {
  bench: msg("A single call of a bench"),
  check: msg("The providers were checked"),
  classification: msg("A question was classified"),
  rubric_draft: msg("A rubric was drafted"),
};
const isSingleCall = (run: RecentRun) => run.format in singleCalls;

function Outcome({ run }: { run: RecentRun }) {
  const single = singleCalls[run.format];
  if (single) return <>{t(single)}</>;
  const first = run.models.filter((answer) => answer.was_top_ranked);
  if (run.status !== "complete") {
    return <RunBadge status={run.status} />;
  }
  if (first.length === 0) return <>{t("No ranking")}</>;
  return (
    <T
      text={
        first.length > 1
          ? "{{names}} <did>shared the first place</did>"
          : "{{names}} <did>won</did>"
      }
      parts={{
        names: listText(first.map(({ model }) => shortName(model))),
        did: (inner) => <span className="against">{inner}</span>,
      }}
    />
  );
}

const others = (run: RecentRun) =>
  run.models
    .filter((answer) => !answer.was_top_ranked)
    .sort((a, b) => (a.place ?? 99) - (b.place ?? 99))
    .map(({ model, place }) => (place ? `${place}.\u00a0${shortName(model)}` : shortName(model)));

function Entry({ run }: { run: RecentRun }) {
  const time = clock(when(run.timestamp));
  const rest = others(run);
  const facts = [
    run.format === "council" || isSingleCall(run) ? null : formatName(run.format),
    run.query_duration_ms ? duration(run.query_duration_ms) : null,
    run.total_tokens > 0 ? t("{{count, number}} tokens", { count: run.total_tokens }) : null,
    run.chairman_model ? t("chaired by {{name}}", { name: shortName(run.chairman_model) }) : null,
  ].filter((fact) => fact !== null);
  return (
    <li className="recent-run">
      <p className="recent-when">
        {run.conversation_id ? (
          <Link href={`/c/${run.conversation_id}`}>
            <T
              text="<hidden>Open the conversation of </hidden>{{time}}"
              parts={{
                hidden: (inner) => <span className="visually-hidden">{inner}</span>,
                time,
              }}
            />
          </Link>
        ) : isSingleCall(run) ? (
          time
        ) : (
          <T
            text="{{time}} <note>(deleted)</note>"
            parts={{ time, note: (inner) => <span className="against">{inner}</span> }}
          />
        )}
      </p>
      <p className="recent-outcome">
        <strong>
          <Outcome run={run} />
        </strong>
        {rest.length > 0 && <span className="recent-rest"> {rest.join(" · ")}</span>}
      </p>
      <p className="recent-cost">
        <span>
          <Cost of={run} />
        </span>
        {(run.thumb === "up" || run.thumb === "down") && (
          <span className="recent-thumb">
            <Icon name={run.thumb === "up" ? "thumb" : "thumbDown"} />
            <span className="visually-hidden">
              {run.thumb === "up" ? t("a good answer") : t("a bad answer")}
            </span>
          </span>
        )}
      </p>
      <p className="recent-facts quiet">{facts.join(" · ")}</p>
    </li>
  );
}

/** The latest runs, on the way to their conversations. */
export function RecentRuns({ reach }: { reach: Reach }) {
  const recent = useRecent(reach);
  return (
    <Panel title={t("Recent runs")}>
      <Answered query={recent} failed={msg("The runs could not be loaded: {{reason}}")} lines={6}>
        {({ pages }) => {
          const runs = new Map(
            pages.flatMap((page) => page.queries.map((run) => [run.run_id, run])),
          );
          const total = pages[0]?.total ?? 0;
          if (runs.size === 0)
            return (
              <Nothing>
                <p className="quiet">{t("Nothing was asked in this period.")}</p>
              </Nothing>
            );
          return (
            <>
              <ol className="recent">
                {[...runs.values()].map((run) => (
                  <Entry key={run.run_id} run={run} />
                ))}
              </ol>
              <p className="more">
                <span className="quiet">
                  {t("{{shown}} of {{count, number}} runs", {
                    shown: count(runs.size),
                    count: total,
                  })}
                </span>
                <MoreButton list={recent} label={t("Older runs")} />
              </p>
            </>
          );
        }}
      </Answered>
    </Panel>
  );
}
