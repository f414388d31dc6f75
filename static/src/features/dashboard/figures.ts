/** What the views make of the server's figures before they show them. */

import type { DayFigures, Money, Pair } from "../../api/types";
import { count, numberFormat, percent } from "../../ui/format";
import { daysBetween, plusDays } from "./span";

/** The list by one of its values; who has none comes last, whichever way it is sorted. */
export function sortedBy<T>(
  list: readonly T[],
  value: (item: T) => number | string | null | undefined,
  descending: boolean,
): T[] {
  const sign = descending ? -1 : 1;
  return list
    .map((item) => ({ item, key: value(item) ?? null }))
    .sort((a, b) => {
      if (a.key === null || b.key === null) {
        return Number(a.key === null) - Number(b.key === null);
      }
      if (typeof a.key === "string" || typeof b.key === "string") {
        return sign * String(a.key).localeCompare(String(b.key));
      }
      return sign * (a.key - b.key);
    })
    .map(({ item }) => item);
}

const tenths = numberFormat({
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
  useGrouping: false,
});

/** A win rate, which the server counts to a hundred. */
export const winRate = (n: number | null | undefined) =>
  percent(n === null || n === undefined ? null : n / 100, 1);

/** For a column, where the points stand beneath each other. */
export const oneDecimal = (n: number | null | undefined) =>
  n === null || n === undefined ? "–" : tenths(n);

/** 1,234 as it is, 1,234,567 as 1.2M: for places where the exact figure does not matter. */
const compactly = numberFormat({ notation: "compact", maximumFractionDigits: 1 });
export const compact = (n: number) => (n < 10_000 ? count(n) : compactly(n));

/** What is known, added up; null as long as nothing is. */
export const sumOfCosts = (all: readonly Money[]): Money =>
  all.reduce<Money>(
    (sum, one) => ({
      total_cost:
        (one.total_cost ?? null) === null
          ? (sum.total_cost ?? null)
          : (sum.total_cost ?? 0) + (one.total_cost ?? 0),
      unknown_cost_calls: sum.unknown_cost_calls + one.unknown_cost_calls,
      estimated_cost_calls: sum.estimated_cost_calls + one.estimated_cost_calls,
    }),
    { total_cost: null, unknown_cost_calls: 0, estimated_cost_calls: 0 },
  );

export type Unit = "day" | "week" | "month";

export interface Bucket extends Money {
  /** Its first and last day. */
  from: string;
  until: string;
  queries: number;
  calls: number;
  total_tokens: number;
}

/** The last day of the week (Monday to Sunday) or month that a day is in. */
function lastDayOf(unit: Unit, day: string): string {
  if (unit === "day") return day;
  const date = new Date(`${day}T00:00:00Z`);
  if (unit === "week") return plusDays(day, (7 - date.getUTCDay()) % 7);
  const next = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1));
  return plusDays(next.toISOString().slice(0, 10), -1);
}

/** As many bars as can be told apart. */
export const unitFor = (days: number): Unit =>
  days <= 92 ? "day" : days <= 92 * 7 ? "week" : "month";

/**
 * The whole span in equal steps: the server names only days on which something happened, and a chart
 * that leaves the others out would bend time.
 */
export function inBuckets(
  days: readonly DayFigures[],
  span: { from: string | null; until: string | null },
  today: string,
): { unit: Unit; buckets: Bucket[] } {
  const first = span.from ?? days[0]?.day ?? null;
  // Of the days to come none is drawn, unless the server's clock is already there.
  const end = span.until !== null && span.until < today ? span.until : today;
  const latest = days.at(-1)?.day ?? end;
  const last = latest > end ? latest : end;
  if (first === null || first > last) return { unit: "day", buckets: [] };
  const unit = unitFor(daysBetween(first, last) + 1);
  const buckets: Bucket[] = [];
  // What lies before the span is in no step of it.
  let at = days.findIndex(({ day }) => day >= first);
  if (at < 0) at = days.length;
  for (let from = first; from <= last; ) {
    const whole = lastDayOf(unit, from);
    const until = whole < last ? whole : last;
    const within: DayFigures[] = [];
    for (let day = days[at]; day && day.day <= until; day = days[++at]) within.push(day);
    buckets.push({
      from,
      until,
      queries: within.reduce((sum, day) => sum + day.queries, 0),
      calls: within.reduce((sum, day) => sum + day.calls, 0),
      total_tokens: within.reduce((sum, day) => sum + day.total_tokens, 0),
      ...sumOfCosts(within),
    });
    from = plusDays(until, 1);
  }
  return { unit, buckets };
}

/** What a chart draws of costs: 0 only where nothing is unknown. */
export const drawnCost = (sum: Money): number | null =>
  sum.total_cost ?? (sum.unknown_cost_calls > 0 ? null : 0);

export interface Duel {
  runs: number;
  won: number;
  lost: number;
  ties: number;
  /** Ties are half a win, in percent. */
  share: number;
}

const duelOf = (runs: number, won: number, lost: number, ties: number): Duel => ({
  runs,
  won,
  lost,
  ties,
  share: runs > 0 ? (100 * (won + ties / 2)) / runs : 0,
});

/** The pairs seen from each side: `row -> column -> duel`. */
export function duelsOf(pairs: readonly Pair[]): Map<string, Map<string, Duel>> {
  const table = new Map<string, Map<string, Duel>>();
  const put = (row: string, column: string, duel: Duel) => {
    const line = table.get(row) ?? new Map<string, Duel>();
    table.set(row, line.set(column, duel));
  };
  for (const { a, b, runs, a_above, b_above, ties } of pairs) {
    put(a, b, duelOf(runs, a_above, b_above, ties));
    put(b, a, duelOf(runs, b_above, a_above, ties));
  }
  return table;
}

/** A model's duels against everybody. */
export function allDuels(line: ReadonlyMap<string, Duel>): Duel {
  const sum = { runs: 0, won: 0, lost: 0, ties: 0 };
  for (const duel of line.values()) {
    sum.runs += duel.runs;
    sum.won += duel.won;
    sum.lost += duel.lost;
    sum.ties += duel.ties;
  }
  return duelOf(sum.runs, sum.won, sum.lost, sum.ties);
}

/** How often each place was taken, without gaps up to the last. */
export function placesOf(distribution: Readonly<Record<string, number>>): [number, number][] {
  const most = Math.max(0, ...Object.keys(distribution).map(Number));
  return Array.from({ length: most }, (_, at) => [at + 1, distribution[String(at + 1)] ?? 0]);
}

/** Where on a shared scale of 0 to 100 the ratings lie; 1000, the average, is always on it. */
export function ratingScale(ranks: readonly { low: number; high: number }[]) {
  const low = Math.min(1000, ...ranks.map((rank) => rank.low));
  const high = Math.max(1000, ...ranks.map((rank) => rank.high));
  const pad = Math.max(20, (high - low) * 0.06);
  const width = high - low + 2 * pad;
  return (rating: number) => (100 * (rating - low + pad)) / width;
}
