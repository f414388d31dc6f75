/** Benches: councils and models measured by questions with known answers. */
import { useQuery } from "@tanstack/react-query";
import { json } from "./client";
import type { Schemas } from "./types";

export type BenchSummary = Schemas["BenchSummary"];
export type BenchView = Schemas["BenchView"];
export type BenchReport = Schemas["BenchReport"];
export type VariantRow = Schemas["BenchVariant"];
export type BenchStatus = Schemas["BenchStatus"];

const benchKey = ["bench"] as const;

/** One that is under way is looked at again now and then. */
const whileRunning = 10_000;

export const useBenches = () =>
  useQuery({
    queryKey: benchKey,
    queryFn: async () => (await json<Schemas["BenchList"]>("/api/bench")).benches,
    refetchInterval: ({ state }) =>
      state.data?.some((bench) => bench.status === "running") ? whileRunning : false,
  });

export const useBench = (id: string) =>
  useQuery({
    queryKey: [...benchKey, id],
    queryFn: () => json<BenchView>(`/api/bench/${encodeURIComponent(id)}`),
    refetchInterval: ({ state }) =>
      state.data?.report.status === "running" ? whileRunning : false,
  });
