import type { Reach } from "../../api/insight";
import { AgainstBest } from "./against-best";
import { ChairmenTable } from "./chairmen-table";
import { HeadToHead } from "./head-to-head";
import { Leaderboard } from "./leaderboard";
import { OverTime } from "./over-time";
import { Ratings } from "./ratings";

/** What can be said of one's own runs and of everybody's alike. */
export function Overview({ reach }: { reach: Reach }) {
  return (
    <>
      <Leaderboard reach={reach} />
      <OverTime reach={reach} />
      <Ratings reach={reach} />
      <HeadToHead reach={reach} />
      <ChairmenTable reach={reach} />
      <AgainstBest reach={reach} />
    </>
  );
}
