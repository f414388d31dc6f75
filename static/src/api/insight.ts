/** What runs say together: one's own, and for administrators everybody's. */
import { keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { json } from "./client";
import { queryClient } from "./queries";
import type {
  AgainstBest,
  Analytics,
  Chairmen,
  DayFigures,
  HeadToHead,
  Leaderboard,
  RatingSource,
  Recent,
  Reviewers,
  Schemas,
} from "./types";

export type Whose = "own" | "everybody";

/** Whose runs, of which days, and of which format. */
export interface Reach {
  whose: Whose;
  from: string | null;
  until: string | null;
  /** Null counts all. */
  format: string | null;
}

export const insightKey = ["insight"] as const;

const base: Record<Whose, string> = {
  own: "/api/analytics",
  everybody: "/api/admin/analytics",
};

function addressOf(reach: Reach, part: string, more: Record<string, string | null> = {}) {
  const query = new URLSearchParams();
  const all = { from: reach.from, until: reach.until, format: reach.format, ...more };
  for (const [name, value] of Object.entries(all)) {
    if (value !== null && value !== "") query.set(name, value);
  }
  return `${base[reach.whose]}${part}?${query}`;
}

/** What was shown before stays until the new figures are there. */
function useFigures<T>(reach: Reach, part: string, more: Record<string, string | null> = {}) {
  const address = addressOf(reach, part, more);
  return useQuery({
    queryKey: [...insightKey, address],
    queryFn: () => json<T>(address),
    staleTime: 60_000,
    placeholderData: keepPreviousData,
    // Each look at everybody's figures is noted: only a person looks, not a window that comes back.
    refetchOnWindowFocus: reach.whose === "own",
  });
}

export const useAnalytics = (reach: Reach) => useFigures<Analytics>(reach, "");
export const useDays = (reach: Reach) => useFigures<{ days: DayFigures[] }>(reach, "/days");
export const useChairmen = (reach: Reach) => useFigures<Chairmen>(reach, "/chairman");
export const useHeadToHead = (reach: Reach) => useFigures<HeadToHead>(reach, "/head-to-head");
export const useAgainstBest = (reach: Reach) => useFigures<AgainstBest>(reach, "/council");
export const useReviewers = (reach: Reach) => useFigures<Reviewers>(reach, "/reviewers");
export const useRatings = (reach: Reach, source: RatingSource, tag: string | null) =>
  useFigures<Leaderboard>(reach, "/leaderboard", { source, tag });

const runsPerPage = 20;

export const useRecent = (reach: Reach) =>
  useInfiniteQuery({
    queryKey: [...insightKey, "recent", reach],
    queryFn: ({ pageParam }) =>
      json<Recent>(
        addressOf(reach, "/recent", { limit: String(runsPerPage), offset: String(pageParam) }),
      ),
    initialPageParam: 0,
    getNextPageParam: (last, pages) => {
      const seen = pages.reduce((sum, page) => sum + page.queries.length, 0);
      return last.queries.length > 0 && seen < last.total ? seen : undefined;
    },
    placeholderData: keepPreviousData,
  });

/** Whether the caller has ever asked anything that still counts. */
export const useAnyRuns = () =>
  useQuery({
    queryKey: [...insightKey, "any"],
    queryFn: async () => (await json<Recent>("/api/analytics/recent?limit=1")).total > 0,
  });

export const useWeights = () =>
  useQuery({
    queryKey: [...insightKey, "weights"],
    queryFn: () => json<Schemas["WeightsInfo"]>("/api/weights"),
  });

export async function clearAnalytics() {
  await json<unknown>("/api/analytics", { method: "DELETE" });
  await queryClient.invalidateQueries({ queryKey: insightKey });
}
