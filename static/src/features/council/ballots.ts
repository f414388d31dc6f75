/** What the tables of stage 2 show, worked out from the ballots. */
import type { AggregateRow, Review } from "../../api/types";

export interface Cell {
  label: string;
  /** 1 is best; null where the ballot does not name the answer. */
  rank: number | null;
  tied: boolean;
}

/** The ranks one ballot gives; tied answers share the better place. */
export function ranksOf(review: Review | null, labels: readonly string[]): Cell[] {
  const tiers = review?.tiers?.length
    ? review.tiers
    : (review?.parsed_ranking ?? []).map((label) => [label]);
  const ranks = new Map<string, { rank: number; tied: boolean }>();
  let before = 0;
  for (const tier of tiers) {
    for (const label of tier) ranks.set(label, { rank: before + 1, tied: tier.length > 1 });
    before += tier.length;
  }
  return labels.map((label) => ({
    label,
    rank: ranks.get(label)?.rank ?? null,
    tied: ranks.get(label)?.tied ?? false,
  }));
}

/** By what runs are ordered that were stored before there were places. */
const order = (row: AggregateRow) =>
  row.weights_applied ? row.weighted_average_rank : row.average_rank;

/** Places of rows already in order; those that share one are marked as tied. */
export function placesOf(rows: readonly AggregateRow[]): { place: number; tied: boolean }[] {
  if (rows.every((row) => row.place)) {
    return rows.map(({ place = 0 }) => ({
      place,
      tied: rows.filter((other) => other.place === place).length > 1,
    }));
  }
  const value = (at: number) => {
    const row = rows[at];
    return row ? order(row) : undefined;
  };
  const same = (a: number, b: number) =>
    value(a) !== undefined && value(b) !== undefined && value(a) === value(b);
  let place = 1;
  return rows.map((_, at) => {
    if (!same(at, at - 1)) place = at + 1;
    return { place, tied: same(at, at - 1) || same(at, at + 1) };
  });
}
