/** What the page keeps of the server's answers, and when it asks again. */
import { notifyManager, QueryClient, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { availability } from "./availability";
import { api, type Page } from "./client";
import { asProblem } from "./problem";
import type { ConversationSummary } from "./types";

// Views learn of new data at the end of the step that brought it, not in a later one: a form that
// drops what was typed once it is saved never shows the earlier value in between.
notifyManager.setScheduler(queueMicrotask);

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 15_000,
      // What the server refused stays refused; what passed by is worth a few more tries.
      retry: (failures, error) => {
        const { kind } = asProblem(error);
        return (kind === "network" || kind === "restarting") && failures < 4;
      },
      networkMode: "always",
    },
    mutations: { networkMode: "always" },
  },
});

// What could not be loaded in the meantime, and what has changed.
availability.subscribe(() => {
  if (availability.now() === null) queryClient.invalidateQueries();
});

export const pageSize = 50;

export const keys = {
  conversations: ["conversations"] as const,
  conversation: (id: string) => ["conversation", id] as const,
  run: (runId: string) => ["run", runId] as const,
  config: ["config"] as const,
  presets: ["presets"] as const,
  models: ["models"] as const,
  tags: ["tags"] as const,
  user: ["user"] as const,
  version: ["version"] as const,
  budgets: ["budgets"] as const,
  adminBudgets: ["admin", "budgets"] as const,
  estimate: (id: string | null, asked: string) => ["estimate", id, asked] as const,
  log: (runId: string) => ["log", runId] as const,
  feedback: (runId: string) => ["feedback", runId] as const,
};

// A tab that stays open for a day does not keep what was read in it. Set here and not where it is
// read, because a query that was made by `setQueryData` keeps the longer of the two times.
queryClient.setQueryDefaults(["conversation"], { gcTime: 60_000 });

/** A run started elsewhere shows its dot, and loses it, without a reload. */
export const askAgainMs = (items: readonly ConversationSummary[] = []) =>
  items.some((item) => item.running) ? 10_000 : 60_000;

/** Where the next page of a plain list begins; nothing where all of it is there. */
export function nextOffset(last: Page<unknown>, pages: readonly Page<unknown>[]) {
  const seen = pages.reduce((sum, page) => sum + page.items.length, 0);
  return last.items.length > 0 && seen < last.total ? seen : undefined;
}

/** With a tag, or archived, whichever folder they are in; otherwise those that are in none. */
export const useConversations = (tag: string | null, archived: boolean) =>
  useInfiniteQuery({
    queryKey: [...keys.conversations, { tag, archived }],
    queryFn: ({ pageParam }) =>
      api.conversations(pageParam, pageSize, {
        tag,
        archived,
        folder: tag === null && !archived ? "none" : null,
      }),
    initialPageParam: 0,
    getNextPageParam: (last, pages) => nextOffset(last, pages),
    refetchInterval: (query) => askAgainMs(query.state.data?.pages.flatMap((page) => page.items)),
  });

/** What is kept at the top of the list, the first of them where there are very many. */
export const usePinned = (enabled: boolean) =>
  useQuery({
    // Keyed next to the lists: what has them read again has these read again too.
    queryKey: [...keys.conversations, "pinned"],
    queryFn: async () => (await api.conversations(0, pageSize, { pinned: true })).items,
    enabled,
    refetchInterval: (query) => askAgainMs(query.state.data),
  });

export const configQuery = {
  queryKey: keys.config,
  queryFn: () => api.config(),
  staleTime: 60_000,
};

export const useConfig = () => useQuery(configQuery);

export const presetsQuery = {
  queryKey: keys.presets,
  queryFn: () => api.presets(),
  staleTime: 60_000,
};

export const usePresets = () => useQuery(presetsQuery);

/** What the page has of this, or what comes from the server; undefined where it cannot be read. */
export const whenRead = <T>(query: {
  queryKey: readonly unknown[];
  queryFn: () => Promise<T>;
}): Promise<T | undefined> =>
  queryClient.fetchQuery<T>({ ...query, staleTime: "static" }).catch(() => undefined);

export const useModels = () =>
  useQuery({ queryKey: keys.models, queryFn: api.models, staleTime: 300_000 });

export const useTags = () => useQuery({ queryKey: keys.tags, queryFn: api.tags });

export const useUser = () =>
  useQuery({ queryKey: keys.user, queryFn: api.user, staleTime: 300_000 });

export const useVersion = () => useQuery({ queryKey: keys.version, queryFn: api.version });

export const refreshConversations = () =>
  queryClient.invalidateQueries({ queryKey: keys.conversations });
