import { lazy, Suspense, useMemo, useState } from "react";
import { type Reach, useDays } from "../../api/insight";
import type { DayFigures } from "../../api/types";
import { msg, t } from "../../i18n";
import { T } from "../../i18n/t";
import { Details } from "../../ui/disclosure";
import { count, money, numberFormat } from "../../ui/format";
import { ScrollBox } from "../../ui/scroll-box";
import { bucketName, tickName } from "./buckets";
import { Choice } from "./choice";
import { Cost, CostLegend } from "./cost";
import { type Bucket, compact, drawnCost, inBuckets, sumOfCosts, type Unit } from "./figures";
import { Answered, Nothing, Panel, useAskedWith } from "./panel";
import { dayOf } from "./span";

const Chart = lazy(() => import("./chart"));

type Measure = "cost" | "queries" | "calls" | "tokens";

const dollars = numberFormat({
  style: "currency",
  currency: "USD",
  currencyDisplay: "narrowSymbol",
  minimumFractionDigits: 0,
  maximumSignificantDigits: 3,
});

interface Shown {
  title: string;
  /** The title of the drawing, by the length of its steps. */
  by: Record<Unit, string>;
  /** A figure in words; a cost is a figure with marks of its own. */
  said: string | null;
  value: (bucket: Bucket) => number | null;
  axis: (value: number) => string;
  whole: boolean;
}

const measures: Record<Measure, Shown> = {
  cost: {
    title: msg("Cost"),
    by: { day: msg("Cost by day"), week: msg("Cost by week"), month: msg("Cost by month") },
    said: null,
    value: drawnCost,
    axis: (usd) => dollars(usd),
    whole: false,
  },
  queries: {
    title: msg("Runs"),
    by: {
      day: msg("Runs by day"),
      week: msg("Runs by week"),
      month: msg("Runs by month"),
    },
    said: msg("{{count, number}} runs"),
    value: (one) => one.queries,
    axis: compact,
    whole: true,
  },
  calls: {
    title: msg("Calls"),
    by: { day: msg("Calls by day"), week: msg("Calls by week"), month: msg("Calls by month") },
    said: msg("{{count, number}} calls"),
    value: (one) => one.calls,
    axis: compact,
    whole: true,
  },
  tokens: {
    title: msg("Tokens"),
    by: { day: msg("Tokens by day"), week: msg("Tokens by week"), month: msg("Tokens by month") },
    said: msg("{{count, number}} tokens"),
    value: (one) => one.total_tokens,
    axis: compact,
    whole: true,
  },
};

const units: Record<Unit, string> = { day: msg("Day"), week: msg("Week"), month: msg("Month") };
const captions: Record<Unit, string> = {
  day: msg("Every day on which anything was asked, the latest first"),
  week: msg("Every week on which anything was asked, the latest first"),
  month: msg("Every month on which anything was asked, the latest first"),
};
const noCost: Record<Unit, string> = {
  day: msg("{{mark}} marks a day on which no cost is known."),
  week: msg("{{mark}} marks a week on which no cost is known."),
  month: msg("{{mark}} marks a month on which no cost is known."),
};

function Readout({ bucket, unit, name }: { bucket: Bucket; unit: Unit; name: Measure }) {
  const { value, said } = measures[name];
  return (
    <>
      {bucketName(unit, bucket)}:{" "}
      <strong>
        {said === null ? (
          (bucket.total_cost ?? null) === null && bucket.unknown_cost_calls === 0 ? (
            money(0)
          ) : (
            <Cost of={bucket} />
          )
        ) : (
          t(said, { count: value(bucket) ?? 0 })
        )}
      </strong>
    </>
  );
}

function Table({ buckets, unit }: { buckets: readonly Bucket[]; unit: Unit }) {
  const busy = buckets.filter((one) => one.calls > 0 || one.queries > 0);
  return (
    <ScrollBox label={t("Figures over time")}>
      <table className="figures-table">
        <caption className="visually-hidden">{t(captions[unit])}</caption>
        <thead>
          <tr>
            <th scope="col">{t(units[unit])}</th>
            <th scope="col">{t("Runs")}</th>
            <th scope="col">{t("Calls")}</th>
            <th scope="col">{t("Tokens")}</th>
            <th scope="col">{t("Cost")}</th>
          </tr>
        </thead>
        <tbody>
          {[...busy].reverse().map((one) => (
            <tr key={one.from}>
              <th scope="row">{bucketName(unit, one)}</th>
              <td>{count(one.queries)}</td>
              <td>{count(one.calls)}</td>
              <td>{count(one.total_tokens)}</td>
              <td>
                <Cost of={one} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollBox>
  );
}

function Series({ days, reach, name }: { days: DayFigures[]; reach: Reach; name: Measure }) {
  const [pointed, setPointed] = useState<number | null>(null);
  const { unit, buckets } = useMemo(() => inBuckets(days, reach, dayOf(new Date())), [days, reach]);
  const { value, axis, whole, by } = measures[name];
  const ticks = useMemo(() => buckets.map((one) => tickName(unit, one)), [buckets, unit]);
  const values = useMemo(() => buckets.map(value), [buckets, value]);
  if (days.length === 0) {
    return (
      <Nothing>
        <p className="quiet">{t("Nothing was asked in this period.")}</p>
      </Nothing>
    );
  }
  const bucket = pointed === null ? undefined : buckets[pointed];
  const sum = sumOfCosts(days);
  return (
    <>
      <figure className="series" aria-label={t(by[unit])}>
        <figcaption className="series-readout">
          {bucket ? <Readout bucket={bucket} unit={unit} name={name} /> : t(by[unit])}
        </figcaption>
        <Suspense fallback={<div className="chart" />}>
          <Chart ticks={ticks} values={values} format={axis} whole={whole} onPoint={setPointed} />
        </Suspense>
      </figure>
      {name === "cost" && values.includes(null) && (
        <p className="quiet">
          <T text={noCost[unit]} parts={{ mark: <span className="cost-mark">?</span> }} />
        </p>
      )}
      {name === "cost" && <CostLegend of={sum} />}
      <Details title={t("The same as a table")}>
        {() => <Table buckets={buckets} unit={unit} />}
      </Details>
    </>
  );
}

/** Costs and what was asked, over time. */
export function OverTime({ reach }: { reach: Reach }) {
  const days = useDays(reach);
  const drawn = useAskedWith(days, reach);
  const [name, setName] = useState<Measure>("cost");
  const choices = Object.entries(measures).map(
    ([one, { title }]) => [one as Measure, t(title)] as const,
  );
  return (
    <Panel
      title={t("Over time")}
      tools={
        <Choice label={t("Shown in the chart")} options={choices} value={name} onChoose={setName} />
      }
    >
      <Answered query={days} failed={msg("The days could not be loaded: {{reason}}")} lines={6}>
        {(data) => <Series days={data.days} reach={drawn} name={name} />}
      </Answered>
    </Panel>
  );
}
