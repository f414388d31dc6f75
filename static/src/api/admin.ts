/** What administrators can read: figures, people, runs, the audit log; never content. */
import { keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { everything, json, send } from "./client";
import { keys, queryClient } from "./queries";
import type {
  AuditEntry,
  Config,
  ConfigChange,
  RunRow,
  Schemas,
  UsageReport,
  UserRow,
} from "./types";

export type UsageBy = "user" | "model" | "day" | "format";

const key = ["admin"] as const;
export const instanceKey = [...key, "config"] as const;

/** Reading is noted in the audit log, so nothing is read that nobody has asked to see. */
const onlyWhenAsked = { staleTime: 60_000, refetchOnWindowFocus: false } as const;

/** What is reported, and of whom: an empty name is everybody. */
export interface UsageWanted {
  by: UsageBy;
  span: { from: string | null; until: string | null };
  user: string;
}

/** The report's address. Without days the server takes a month: a first day from before it all. */
export function usageHref({ by, span, user }: UsageWanted, format: "json" | "csv"): string {
  const query = new URLSearchParams({ by, format, from: span.from ?? "2000-01-01" });
  if (span.until) query.set("to", span.until);
  if (user) query.set("user", user);
  return `/api/admin/usage?${query}`;
}

/** All lines, as they are summed up. */
export function useUsage(wanted: UsageWanted) {
  const address = usageHref(wanted, "json");
  return useQuery({
    queryKey: [...key, "usage", address],
    queryFn: async () => {
      const rows = await everything(async (query) => {
        const report = await json<UsageReport>(`${address}&${query}`);
        return { items: report.rows, total: report.total };
      });
      return { by: wanted.by, rows };
    },
    placeholderData: keepPreviousData,
    ...onlyWhenAsked,
  });
}

const perPage = 50;

/** Pages by offset. The server tells no total: a page that is not full is the last. */
function usePages<T>(name: string, read: (query: string) => Promise<T[]>) {
  return useInfiniteQuery({
    queryKey: [...key, name],
    queryFn: ({ pageParam }) => read(`limit=${perPage}&offset=${pageParam}`),
    initialPageParam: 0,
    getNextPageParam: (last, pages) => (last.length < perPage ? undefined : pages.length * perPage),
    placeholderData: keepPreviousData,
  });
}

export const useUsers = (search: string) =>
  usePages<UserRow>(`users ${search}`, async (query) => {
    const address = `/api/admin/users?${new URLSearchParams({ search })}&${query}`;
    return (await json<{ users: UserRow[] }>(address)).users;
  });

export const knownUsersKey = [...key, "known-users"] as const;
const mostPerPage = 500;

/** Everybody who has been here, for forms that name a user. */
export const useKnownUsers = () =>
  useQuery({
    queryKey: knownUsersKey,
    queryFn: async () => {
      const known: UserRow[] = [];
      for (;;) {
        const address = `/api/admin/users?limit=${mostPerPage}&offset=${known.length}`;
        const { users } = await json<{ users: UserRow[] }>(address);
        known.push(...users);
        if (users.length < mostPerPage) return known;
      }
    },
    ...onlyWhenAsked,
  });

export const useRuns = (failuresOnly: boolean, user: string) =>
  usePages<RunRow>(`${failuresOnly ? "failures" : "runs"} ${user}`, async (query) => {
    const narrowed = new URLSearchParams({ failures: `${failuresOnly}`, user });
    const address = `/api/admin/runs?${narrowed}&${query}`;
    return (await json<{ runs: RunRow[] }>(address)).runs;
  });

const blocks = "/api/admin/blocks";

export const useBlocks = <T>(shown: (block: Schemas["BlockView"]) => T) =>
  useQuery({
    queryKey: [...key, "blocks"],
    queryFn: () =>
      everything(async (query) => {
        const list = await json<Schemas["Blocks"]>(`${blocks}?${query}`);
        return { items: list.blocks, total: list.total };
      }),
    select: (all) => all.map(shown),
  });

/**
 * Blocking stops a user's runs and marks them in the list of users, so everything is read again.
 */
async function thenAll<T>(change: Promise<T>): Promise<T> {
  const done = await change;
  await queryClient.invalidateQueries({ queryKey: key });
  return done;
}

export const blockUser = (user: string, reason: string) =>
  thenAll(json<Schemas["NewBlock"]>(blocks, send("POST", { user, reason })));
export const unblockUser = (user: string) =>
  thenAll(json<unknown>(`${blocks}?user=${encodeURIComponent(user)}`, { method: "DELETE" }));
export const stopRun = (id: string) =>
  thenAll(json<unknown>(`/api/admin/runs/${encodeURIComponent(id)}/cancel`, send("POST", {})));

/** Which entries: empty is all. */
export interface AuditWanted {
  user: string;
  action: string;
  target: string;
}

export const useAudit = ({ user, action, target }: AuditWanted) =>
  useInfiniteQuery({
    queryKey: [...key, "audit", user, action, target],
    queryFn: async ({ pageParam }) => {
      const query = new URLSearchParams({ limit: `${perPage}`, user, action, target });
      if (pageParam !== null) query.set("before", `${pageParam}`);
      return (await json<{ entries: AuditEntry[] }>(`/api/admin/audit?${query}`)).entries;
    },
    placeholderData: keepPreviousData,
    initialPageParam: null as number | null,
    getNextPageParam: (last) => (last.length < perPage ? undefined : last.at(-1)?.id),
  });

export const useInstanceConfig = () =>
  useQuery({ queryKey: instanceKey, queryFn: () => json<Config>("/api/admin/config") });

/** One's own council is based on the instance's, and changes with it. */
async function thenOwn(config: Config): Promise<Config> {
  await queryClient.invalidateQueries({ queryKey: keys.config });
  return config;
}

export const saveInstanceConfig = async (change: ConfigChange) =>
  thenOwn(await json<Config>("/api/admin/config", send("PUT", change)));
export const resetInstanceConfig = async () =>
  thenOwn(await json<Config>("/api/admin/config/reset", send("POST", {})));
