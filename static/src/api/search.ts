/** The search through all conversations, for the part of the page that is fetched with the first search. */
import { useInfiniteQuery } from "@tanstack/react-query";
import { page, request } from "./client";
import { nextOffset } from "./queries";
import type { SearchHit } from "./types";

const perPage = 30;

export const useSearch = (q: string) =>
  useInfiniteQuery({
    queryKey: ["search", q],
    queryFn: async ({ pageParam }) => {
      const query = new URLSearchParams({ limit: `${perPage}`, offset: `${pageParam}`, q });
      return page<SearchHit>(await request(`/api/search?${query}`), pageParam);
    },
    enabled: q.length > 0,
    initialPageParam: 0,
    getNextPageParam: (last, pages) => nextOffset(last, pages),
  });
