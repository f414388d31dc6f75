/** Questions that are asked again and again, and what came of them. */
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { json, send } from "./client";
import { queryClient, refreshConversations } from "./queries";
import type { Ask, Schemas } from "./types";

/** Its question holds only what was chosen for it: the rest is whatever is in force when it is asked. */
export type Schedule = Omit<Schemas["ScheduleView"], "request"> & { request: Ask };
interface List extends Omit<Schemas["ScheduleList"], "schedules"> {
  schedules: Schedule[];
}
export type ScheduleResult = Schemas["ScheduleResultView"];

/** What is asked of a schedule; what is left out stays as it is. */
export interface ScheduleChange {
  name?: string;
  request?: Ask;
  cron?: string;
  time_zone?: string;
  /** Null: no budget of its own. */
  budget_usd?: number | null;
  paused?: boolean;
}

const key = ["schedules"] as const;
const base = "/api/schedules";
const one = (id: string) => `${base}/${encodeURIComponent(id)}`;
const resultsKey = (id: string) => [...key, id, "results"] as const;

const perPage = 20;
/** How often to check on what is under way, and on what may come due. */
const soonMs = 3_000;
const laterMs = 30_000;

const isUnderWay = (result: ScheduleResult | null | undefined) =>
  result?.run?.status === "queued" || result?.run?.status === "running";

/** The reader's own. */
export const useSchedules = () =>
  useQuery({
    queryKey: key,
    queryFn: () => json<List>(base),
    refetchInterval: ({ state }) =>
      state.data?.schedules.some(({ last_result }) => isUnderWay(last_result)) ? soonMs : laterMs,
  });

/** What came of one, the newest first. */
export const useScheduleResults = (id: string) =>
  useInfiniteQuery({
    queryKey: resultsKey(id),
    queryFn: ({ pageParam }) =>
      json<Schemas["ScheduleResultList"]>(
        `${one(id)}/results?limit=${perPage}&offset=${pageParam}`,
      ),
    initialPageParam: 0,
    getNextPageParam: (last, pages) =>
      last.results.length < perPage ? undefined : pages.length * perPage,
    refetchInterval: ({ state }) =>
      state.data?.pages.some(({ results }) => results.some(isUnderWay)) ? soonMs : laterMs,
  });

const timesOf = (cron: string, zone: string) => ({
  queryKey: [...key, "times", cron, zone],
  queryFn: () =>
    json<Schemas["ScheduleTimes"]>(
      `/api/schedule-times?${new URLSearchParams({ cron, time_zone: zone })}`,
    ),
  // What is wrong with it stays wrong.
  retry: false,
  gcTime: 60_000,
});

/** When an expression would be due next; nothing is asked while it is empty. */
export const useScheduleTimes = (cron: string, zone: string) =>
  useQuery({ ...timesOf(cron, zone), enabled: cron !== "" && zone !== "" });

/** Whether there are times at all that an expression would be due at. */
export const hasTimes = (cron: string, zone: string) =>
  queryClient.fetchQuery(timesOf(cron, zone)).then(
    () => true,
    () => false,
  );

const refresh = () => queryClient.invalidateQueries({ queryKey: key });

async function changed<T>(path: string, init: RequestInit): Promise<T> {
  const answer = await json<T>(path, init);
  await refresh();
  return answer;
}

export const makeSchedule = (wanted: ScheduleChange) =>
  changed<Schedule>(base, send("POST", wanted));
export const changeSchedule = (id: string, wanted: ScheduleChange) =>
  changed<Schedule>(one(id), send("PATCH", wanted));

/** Asks it now, apart from its times. */
export async function askNow(id: string) {
  const asked = await changed<Schemas["AskedNow"]>(`${one(id)}/run`, send("POST", {}));
  void refreshConversations();
  return asked;
}

/** It leaves the list at once: until that is read again the focus would be nowhere. */
export async function removeSchedule(id: string) {
  await json<unknown>(one(id), { method: "DELETE" });
  queryClient.removeQueries({ queryKey: resultsKey(id) });
  queryClient.setQueryData<List>(
    key,
    (list) => list && { ...list, schedules: list.schedules.filter((one) => one.id !== id) },
  );
  void queryClient.invalidateQueries({ queryKey: key, exact: true });
}
