/** Answers that are kept for questions like those they answered. */
import { keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { json, send } from "./client";
import { queryClient } from "./queries";
import type { Schemas } from "./types";

export type CacheConfig = Schemas["CacheConfig"];
export type CacheReport = Schemas["CacheReport"];
export type CacheStats = Schemas["CacheStats"];
export type CacheEntry = Schemas["CacheEntry"];
export type CacheUsage = Schemas["CacheUsage"];

const key = ["answers-kept"] as const;
const base = "/api/cache";
const perPage = 30;

/** Takes the answer that a run offers, or has the council asked. */
export const decide = (runId: string, take: boolean) =>
  json<Schemas["OfferAnswered"]>(
    `/api/runs/${encodeURIComponent(runId)}/cache`,
    send("POST", { take }),
  );

export const useKeptConfig = () =>
  useQuery({
    queryKey: [...key, "config"],
    queryFn: () => json<CacheConfig>(`${base}/config`),
    staleTime: 60_000,
  });

export const useKeptInfo = () =>
  useQuery({ queryKey: [...key, "info"], queryFn: () => json<CacheReport>(`${base}/info`) });

/**
 * The entries whose question has these words; the entries shown before stay until these are there.
 */
export const useKept = (q: string) =>
  useInfiniteQuery({
    queryKey: [...key, "entries", q],
    queryFn: ({ pageParam }) => {
      const query = new URLSearchParams({ limit: String(perPage), offset: String(pageParam) });
      if (q !== "") query.set("q", q);
      return json<Schemas["CacheEntries"]>(`${base}/entries?${query}`);
    },
    initialPageParam: 0,
    getNextPageParam: (last, pages) => {
      const seen = pages.reduce((sum, page) => sum + page.entries.length, 0);
      return last.entries.length > 0 && seen < last.total ? seen : undefined;
    },
    placeholderData: keepPreviousData,
  });

/** Reading it is noted in the audit log: only a person looks, not a window that comes back. */
export const useKeptByAll = () =>
  useQuery({
    queryKey: [...key, "admin"],
    queryFn: () => json<CacheUsage>("/api/admin/cache"),
    staleTime: 60_000,
    refetchOnWindowFocus: false,
  });

async function remove(path: string) {
  await json<unknown>(path, { method: "DELETE" });
  await queryClient.invalidateQueries({ queryKey: key });
}

export const forgetAnswer = (id: string) => remove(`${base}/entries/${encodeURIComponent(id)}`);
export const forgetAnswers = () => remove(base);
export const resetFigures = () => remove(`${base}/stats`);
