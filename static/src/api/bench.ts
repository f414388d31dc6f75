/** Benches: councils and models measured by questions with known answers. */
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { json, type Page } from "./client";
import { nextOffset, pageSize } from "./queries";
import type { Schemas } from "./types";

export type BenchSummary = Schemas["BenchSummary"];
export type BenchView = Schemas["BenchView"];
export type BenchReport = Schemas["BenchReport"];
export type VariantRow = Schemas["BenchVariant"];
export type BenchStatus = Schemas["BenchStatus"];

const benchKey = ["bench"] as const;

/** One that is under way is looked at again now and then. */
const whileRunning = 10_000;

/** The newest first, page by page. */
export const useBenches = () =>
  useInfiniteQuery({
    queryKey: [...benchKey, "list"],
    queryFn: async ({ pageParam }): Promise<Page<BenchSummary>> => {
      const address = `/api/bench?limit=${pageSize}&offset=${pageParam}`;
      const list = await json<Schemas["BenchList"]>(address);
      return { items: list.benches, total: list.total };
    },
    initialPageParam: 0,
    getNextPageParam: (last, pages) => nextOffset(last, pages),
    refetchInterval: ({ state }) => {
      const isRunning = (bench: BenchSummary) => bench.status === "running";
      const isAny = state.data?.pages.some(({ items }) => items.some(isRunning));
      return isAny ? whileRunning : false;
    },
  });

export const useBench = (id: string) =>
  useQuery({
    queryKey: [...benchKey, id],
    queryFn: () => json<BenchView>(`/api/bench/${encodeURIComponent(id)}`),
    refetchInterval: ({ state }) =>
      state.data?.report.status === "running" ? whileRunning : false,
  });
