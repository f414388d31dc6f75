import { describe, expect, it } from "vitest";
import { review, row, seats } from "../../test/samples";
import { placesOf, ranksOf } from "./ballots";

const [seat] = seats as [(typeof seats)[0]];
const labels = ["Response A", "Response B", "Response C"];
const ranks = (tiers: string[][]) =>
  ranksOf(review(seat, { tiers, parsed_ranking: tiers.flat() }), labels).map(
    ({ rank, tied }) => `${rank ?? "-"}${tied ? "=" : ""}`,
  );

describe("a ballot's ranks", () => {
  it("follow its tiers", () => {
    expect(ranks([["Response C"], ["Response A"], ["Response B"]])).toEqual(["2", "3", "1"]);
  });
  it("share the better place when tied, and the next place is skipped", () => {
    expect(ranks([["Response A", "Response C"], ["Response B"]])).toEqual(["1=", "3", "1="]);
  });
  it("leave out what the ballot does not name", () => {
    expect(ranks([["Response B"]])).toEqual(["-", "1", "-"]);
  });
  it("are all missing while the review is being written", () => {
    expect(ranksOf(null, labels).every((cell) => cell.rank === null)).toBe(true);
  });
});

describe("the places of the aggregate", () => {
  const places = (averages: number[]) =>
    placesOf(averages.map((average_rank) => row(seat, { average_rank }))).map(
      ({ place, tied }) => `${place}${tied ? "=" : ""}`,
    );
  it("count up", () => expect(places([1, 2.5, 3])).toEqual(["1", "2", "3"]));
  it("share a place when equal", () => expect(places([1.5, 1.5, 3])).toEqual(["1=", "1=", "3"]));
  it("follow the weights where they made the order", () => {
    const rows = [1.2, 1.4].map((weighted_average_rank) =>
      row(seat, { average_rank: 2, weighted_average_rank, weights_applied: true }),
    );
    expect(placesOf(rows).map(({ place }) => place)).toEqual([1, 2]);
  });
});
