import { useEffect } from "react";
import { Link } from "wouter";
import {
  type Reach,
  useAnalytics,
  useChairmen,
  useHeadToHead,
  useRatings,
  type Whose,
} from "../../api/insight";
import type { Leaderboard, ModelFigures, Pair } from "../../api/types";
import { msg, t } from "../../i18n";
import { T } from "../../i18n/t";
import { count, duration, ordinal, percent, rank, shortName } from "../../ui/format";
import { useTitle } from "../../ui/title";
import { Bar } from "./bar";
import { CacheFigure } from "./cache";
import { Cost, CostNotes } from "./cost";
import { Figure } from "./figure";
import { allDuels, duelsOf, ratingScale, sortedBy, winRate } from "./figures";
import { record } from "./head-to-head";
import { ModelLink } from "./model-name";
import { Answered, Nothing, Panel } from "./panel";
import { Places } from "./places";
import { RangeBar } from "./range-bar";
import { Interval } from "./ratings";
import { AsReviewer } from "./reviewer";
import { FormatBar, useFormat } from "./run-format";
import { spanError, spanText } from "./span";
import { useSpan } from "./use-span";

function Figures({ row, prices }: { row: ModelFigures; prices: string }) {
  return (
    <>
      <dl className="tiles">
        <Figure name={t("Win rate")}>{winRate(row.win_rate)}</Figure>
        <Figure name={t("Average rank")}>{rank(row.average_rank)}</Figure>
        <Figure
          name={t("Confidence")}
          note={row.average_confidence ? t("of {{all}}", { all: count(10) }) : null}
        >
          {rank(row.average_confidence)}
        </Figure>
        <Figure
          name={t("Answers")}
          note={t("{{number}} ranked", { number: count(row.ranked_queries) })}
        >
          {count(row.total_queries)}
        </Figure>
        <Figure
          name={t("Time of an answer")}
          note={row.latency_ms && t("95% within {{time}}", { time: duration(row.latency_ms.p95) })}
        >
          {row.latency_ms ? duration(row.latency_ms.median) : "–"}
        </Figure>
        <Figure name={t("Cost")} note={t("of {{count, number}} calls", { count: row.total_calls })}>
          <Cost of={row} />
        </Figure>
        <Figure
          name={t("Tokens")}
          note={t("{{read}} in, {{written}} out", {
            read: count(row.total_prompt_tokens),
            written: count(row.total_completion_tokens),
          })}
        >
          {count(row.total_tokens)}
        </Figure>
        <Figure name={t("Failed calls")}>{count(row.failures)}</Figure>
        <CacheFigure of={row} />
      </dl>
      <CostNotes of={row} prices={prices} />
    </>
  );
}

function RatingLine({ board, model, from }: { board: Leaderboard; model: string; from: string }) {
  const row = board.models.find((one) => one.model === model);
  return (
    <div className="rating-line">
      <h3>{from}</h3>
      {row ? (
        <>
          <p>
            <T
              text="{{rating}}, {{place}} of {{all}}"
              parts={{
                rating: <strong>{count(Math.round(row.rating))}</strong>,
                place: ordinal(row.rank),
                all: count(board.models.length),
              }}
            />
          </p>
          <Interval
            at={ratingScale(board.models)}
            rating={row.rating}
            low={row.low}
            high={row.high}
          />
          <p className="quiet">
            {t("95% interval {{low}} to {{high}}; {{wins}} of {{count, number}} comparisons won.", {
              low: count(Math.round(row.low)),
              high: count(Math.round(row.high)),
              wins: count(row.wins),
              count: row.comparisons,
            })}
          </p>
        </>
      ) : (
        <Nothing>
          <p className="quiet">{t("Nothing compares it with another model in this period.")}</p>
        </Nothing>
      )}
    </div>
  );
}

function Strength({ reach, model }: { reach: Reach; model: string }) {
  const ballots = useRatings(reach, "ballots", null);
  const people = useRatings(reach, "people", null);
  return (
    <Panel title={t("Strength")} lead={t("1000 is average, 400 more is ten times as strong.")}>
      <Answered
        query={ballots}
        failed={msg("The rating from ballots could not be loaded: {{reason}}")}
        lines={2}
      >
        {(board) => <RatingLine board={board} model={model} from={t("From ballots")} />}
      </Answered>
      <Answered
        query={people}
        failed={msg("The rating from people could not be loaded: {{reason}}")}
        lines={2}
      >
        {(board) => <RatingLine board={board} model={model} from={t("From people")} />}
      </Answered>
    </Panel>
  );
}

function Opponents({
  pairs,
  model,
  whose,
}: {
  pairs: readonly Pair[];
  model: string;
  whose: Whose;
}) {
  const line = duelsOf(pairs).get(model);
  if (!line)
    return (
      <Nothing>
        <p className="quiet">{t("It was not compared with any other model in this period.")}</p>
      </Nothing>
    );
  const all = allDuels(line);
  return (
    <>
      <ul className="opponents">
        {sortedBy([...line], ([, duel]) => duel.share, true).map(([other, duel]) => (
          <li key={other}>
            <ModelLink model={other} whose={whose} />
            <Bar percent={duel.share} />
            <span className="opponent-figure">
              {percent(duel.share / 100)} <span className="against">({record(duel)})</span>
            </span>
          </li>
        ))}
      </ul>
      <p className="quiet">
        {t("{{share}} of all {{count, number}} meetings.", {
          share: percent(all.share / 100),
          count: all.runs,
        })}
      </p>
    </>
  );
}

function Details({ reach, model }: { reach: Reach; model: string }) {
  const analytics = useAnalytics(reach);
  const met = useHeadToHead(reach);
  const chairmen = useChairmen(reach);
  const chaired = chairmen.data?.models[model];
  return (
    <Answered
      query={analytics}
      failed={msg("The figures could not be loaded: {{reason}}")}
      lines={6}
    >
      {({ models, summary }) => {
        const row = models[model];
        if (!row) {
          return (
            <Nothing>
              <section className="empty">
                <h2>{t("Nothing to count in this period")}</h2>
                <p>
                  <T
                    text="{{model}} was not asked. <all>Show all time</all>."
                    parts={{ model, all: (inner) => <Link href="?days=all">{inner}</Link> }}
                  />
                </p>
              </section>
            </Nothing>
          );
        }
        return (
          <div className="model-parts">
            <Figures row={row} prices={summary.price_list_date} />
            <div className="pair">
              <Panel title={t("Places")} lead={t("How often its answer took each place.")}>
                <Places distribution={row.rank_distribution} />
              </Panel>
              <Strength reach={reach} model={model} />
            </div>
            <Panel title={t("Against others")} lead={t("How often it came before each of them.")}>
              <Answered query={met} failed={msg("The comparison could not be loaded: {{reason}}")}>
                {({ pairs }) => <Opponents pairs={pairs} model={model} whose={reach.whose} />}
              </Answered>
            </Panel>
            <AsReviewer reach={reach} model={model} />
            {chaired && (
              <Panel title={t("As chairman")}>
                <dl className="tiles">
                  <Figure
                    name={t("Final answers")}
                    note={
                      chaired.times_stood_in > 0 &&
                      t("{{number}} as a stand-in", { number: count(chaired.times_stood_in) })
                    }
                  >
                    {count(chaired.times_used)}
                  </Figure>
                  <Figure name={t("Thumbs up")}>{count(chaired.thumbs_up)}</Figure>
                  <Figure name={t("Thumbs down")}>{count(chaired.thumbs_down)}</Figure>
                  <Figure name={t("Time")}>
                    {chaired.latency_ms ? duration(chaired.latency_ms.median) : "–"}
                  </Figure>
                  <Figure name={t("Cost")}>
                    <Cost of={chaired} />
                  </Figure>
                </dl>
              </Panel>
            )}
          </div>
        );
      }}
    </Answered>
  );
}

const homes: Record<Whose, readonly [string, string]> = {
  own: ["/dashboard", msg("Dashboard")],
  everybody: ["/admin/analytics", msg("Everybody’s figures")],
};

/** Everything the ledger says of one model. */
export function ModelPage({ model, whose }: { model: string; whose: Whose }) {
  useTitle(shortName(model));
  const [span, setSpan] = useSpan();
  const [format, setFormat] = useFormat();
  const [home, name] = homes[whose];
  const error = spanError(span);
  // Back at the top; what scrollTo gives is no way to undo it.
  useEffect(() => {
    scrollTo({ top: 0, behavior: "instant" });
  }, []);
  return (
    <>
      <header className="dashboard-head">
        <div className="dashboard-title">
          <p className="crumb">
            <Link href={`${home}${location.search}`}>{t(name)}</Link>
          </p>
          <h1>{shortName(model)}</h1>
          <p className="quiet">
            {shortName(model) !== model && <code>{model}</code>} {spanText(span)}
          </p>
        </div>
        <div className="range">
          <RangeBar span={span} onChoose={setSpan} />
          <FormatBar format={format} onChoose={setFormat} />
        </div>
      </header>
      {!error && (
        <Details reach={{ whose, from: span.from, until: span.until, format }} model={model} />
      )}
    </>
  );
}
