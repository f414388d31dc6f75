/** What administrators may do about other people's data. */
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { everything, json, type Page, send } from "./client";
import type { Access } from "./own-data";
import { nextOffset, pageSize, queryClient } from "./queries";
import type { Conversation, ConversationSummary, Schemas } from "./types";

export type Hold = Schemas["HoldView"];

const admin = ["admin", "own-data"] as const;
const refresh = () => queryClient.invalidateQueries({ queryKey: admin });

async function changed<T>(path: string, init: RequestInit): Promise<T> {
  const answer = await json<T>(path, init);
  await refresh();
  return answer;
}

export const useRetention = () =>
  useQuery({
    queryKey: [...admin, "retention"],
    queryFn: () => json<Schemas["RetentionView"]>("/api/admin/retention"),
  });
export const chooseRetention = (days: number | null) =>
  changed<Schemas["RetentionView"]>("/api/admin/retention", send("PUT", { days }));

export type RetentionInProject = Schemas["ProjectRetention"];

const inProjects = "/api/admin/retention/projects";

/** All of them: those with a rule of their own first. */
export const useRetentionInProjects = () =>
  useQuery({
    queryKey: [...admin, "retention", "projects"],
    queryFn: () =>
      everything(async (query) => {
        const list = await json<Schemas["ProjectRetentions"]>(`${inProjects}?${query}`);
        return { items: list.projects, total: list.total };
      }),
  });
export const chooseRetentionIn = (project: string, days: number | null) =>
  changed<unknown>(`${inProjects}/${encodeURIComponent(project)}`, send("PUT", { days }));

export const useHolds = <T>(shown: (hold: Hold) => T) =>
  useQuery({
    queryKey: [...admin, "holds"],
    queryFn: () =>
      everything(async (query) => {
        const { holds, total } = await json<Schemas["Holds"]>(`/api/admin/holds?${query}`);
        return { items: holds, total };
      }),
    select: (all) => all.map(shown),
  });
export const placeHold = (user: string, reason: string) =>
  changed<Hold>("/api/admin/holds", send("POST", { user, reason }));
export const liftHold = (user: string) =>
  changed<unknown>(`/api/admin/holds?user=${encodeURIComponent(user)}`, { method: "DELETE" });

const requests = "/api/admin/access-requests";
const accessKey = [...admin, "access"] as const;
const one = (id: string) => `${requests}/${encodeURIComponent(id)}`;

/** The newest first, page by page. */
export const useAccessRequests = () =>
  useInfiniteQuery({
    queryKey: accessKey,
    queryFn: async ({ pageParam }): Promise<Page<Access>> => {
      const address = `${requests}?limit=${pageSize}&offset=${pageParam}`;
      const list = await json<Schemas["AccessRequests"]>(address);
      return { items: list.requests, total: list.total };
    },
    initialPageParam: 0,
    getNextPageParam: (last, pages) => nextOffset(last, pages),
  });
export const askForAccess = (user: string, reason: string, hours: number) =>
  changed<Access>(requests, send("POST", { user, reason, hours }));
export const approveAccess = (id: string) =>
  changed<Access>(`${one(id)}/approve`, send("POST", {}));
export const revokeAccess = (id: string) => changed<Access>(`${one(id)}/revoke`, send("POST", {}));

/** Each look is noted, and its user sees it: nothing is read that nobody has asked to see, and the list of looks is read again. */
const readOnce = { staleTime: Number.POSITIVE_INFINITY, gcTime: 0, refetchOnWindowFocus: false };
async function look<T>(path: string): Promise<T> {
  const seen = await json<T>(path);
  void queryClient.invalidateQueries({ queryKey: accessKey });
  return seen;
}
/** As many as the server gives at once. */
const mostPerLook = 500;
const readable = (id: string) => `/api/admin/access/${encodeURIComponent(id)}/conversations`;

/** What changed last first, page by page. */
export const useReadable = (id: string) =>
  useInfiniteQuery({
    queryKey: ["access", id],
    queryFn: async ({ pageParam }): Promise<Page<ConversationSummary>> => {
      const address = `${readable(id)}?limit=${mostPerLook}&offset=${pageParam}`;
      const list = await look<Schemas["ReadConversations"]>(address);
      return { items: list.conversations, total: list.total };
    },
    initialPageParam: 0,
    getNextPageParam: (last, pages) => nextOffset(last, pages),
    ...readOnce,
  });
export const useRead = (id: string, conversation: string) =>
  useQuery({
    queryKey: ["access", id, conversation],
    queryFn: () => look<Conversation>(`${readable(id)}/${encodeURIComponent(conversation)}`),
    ...readOnce,
  });
