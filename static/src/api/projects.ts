/** Projects: places for the conversations of a team. */
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { everything, json, last, send } from "./client";
import {
  configQuery,
  keys,
  pageSize,
  queryClient,
  refreshConversations,
  useConfig,
  whenRead,
} from "./queries";
import type { Config, Conversation, ConversationSummary, Preset, Schemas } from "./types";

export type ProjectSummary = Schemas["ProjectSummary"];
export type Project = Omit<Schemas["ProjectView"], "options"> & { options: Preset["options"] };
export type Member = Schemas["MemberView"];
export type Role = Schemas["ProjectRole"];
export type Listed = Schemas["ListedConversation"];
export type ReadConversation = Schemas["ConversationInProject"];

/** What a project is to say from now on; what is left out stays. */
export interface ProjectChange {
  name?: string;
  instructions?: string;
  settings?: Partial<Project["settings"]>;
  options?: Project["options"];
}

const lists = ["projects"] as const;
export const projectKey = (id: string) => ["project", id] as const;
const base = "/api/projects";
const one = (id: string) => `${base}/${encodeURIComponent(id)}`;
export const inside = (id: string, conversation: string) =>
  `${one(id)}/conversations/${encodeURIComponent(conversation)}`;

export const projectsQuery = {
  queryKey: lists,
  queryFn: () =>
    everything(async (query) => {
      const { projects, total } = await json<Schemas["ProjectList"]>(`${base}?${query}`);
      return { items: projects, total };
    }),
  staleTime: 60_000,
};

/** The projects in which the reader has a role. */
export const useProjects = () => useQuery(projectsQuery);

const query = (id: string) => ({
  queryKey: projectKey(id),
  queryFn: () => json<Project>(one(id)),
});

export const useProject = (id: string) => useQuery(query(id));

/** The project that a conversation is in, as far as it has been read. */
export const projectOf = (conversation: string | null): string | null =>
  (conversation !== null &&
    queryClient.getQueryData<Conversation>(keys.conversation(conversation))?.project_id) ||
  null;

/** What the flag of older clients says of votes for one's own answer. */
const ownVotesOf = (flag: unknown): Partial<Pick<Config, "self_votes">> =>
  typeof flag === "boolean" ? { self_votes: flag ? "counted" : "left_out" } : {};

/** The settings that a question in a project is asked with, where it says nothing else. */
function inProject(config: Config, project: Project | undefined): Config {
  if (!project) return config;
  const { settings, options } = project;
  const said = Object.entries(settings).filter(([, value]) => (value ?? null) !== null);
  // As for the server: early consensus says how the final answer comes about.
  const own = Object.entries(config.default_options).filter(
    ([name]) => name !== "final" || options.use_early_consensus !== true,
  );
  const default_options = {
    ...Object.fromEntries(own),
    ...ownVotesOf(options.count_self_votes),
    ...options,
  };
  return {
    ...config,
    ...Object.fromEntries(said),
    ...ownVotesOf(settings.count_self_votes),
    default_options,
  };
}

/** The settings in a project that has been read. */
export const configIn = (config: Config, project: string | null) =>
  project === null ? config : inProject(config, queryClient.getQueryData(projectKey(project)));

/**
 * The settings in a project once that has been read; undefined where the reader's own cannot be.
 */
export async function readConfigIn(project: string | null): Promise<Config | undefined> {
  const [config] = await Promise.all([
    whenRead(configQuery),
    // A reader without access finds out when they ask.
    project === null ? undefined : whenRead(query(project)),
  ]);
  return config && configIn(config, project);
}

/** The reader's settings, in a project with what that changes; absent until both are there. */
export function useConfigIn(id: string | null): Config | undefined {
  const config = useConfig().data;
  const project = useQuery({ ...query(id ?? ""), enabled: id !== null });
  // A reader without access finds out when they ask.
  const isAwaited = id !== null && project.isPending;
  return useMemo(
    () => (config && !isAwaited ? inProject(config, project.data) : undefined),
    [config, isAwaited, project.data],
  );
}

/** What is in it, what changed last first. */
export const useInProject = (id: string) =>
  useInfiniteQuery({
    queryKey: [...projectKey(id), "conversations"],
    queryFn: ({ pageParam }) => {
      const query = new URLSearchParams({ limit: String(pageSize), offset: String(pageParam) });
      return json<Schemas["ConversationsInProject"]>(`${one(id)}/conversations?${query}`);
    },
    initialPageParam: 0,
    getNextPageParam: (last, pages) => {
      const seen = pages.reduce((sum, page) => sum + page.conversations.length, 0);
      return last.conversations.length > 0 && seen < last.total ? seen : undefined;
    },
  });

/** Reads anew what a change in a project may have changed. */
async function refresh(id: string) {
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: projectKey(id) }),
    queryClient.invalidateQueries({ queryKey: lists }),
  ]);
}

export async function makeProject(change: ProjectChange): Promise<Project> {
  const project = await json<Project>(base, send("POST", change));
  queryClient.setQueryData(projectKey(project.id), project);
  void queryClient.invalidateQueries({ queryKey: lists });
  return project;
}

export async function changeProject(id: string, change: ProjectChange): Promise<Project> {
  const project = await json<Project>(one(id), send("PATCH", change));
  // One that was asked for before would bring what held then.
  await queryClient.cancelQueries({ queryKey: projectKey(id), exact: true });
  queryClient.setQueryData(projectKey(id), project);
  void queryClient.invalidateQueries({ queryKey: lists });
  return project;
}

/** It is not there for the reader any more. */
function gone(id: string) {
  queryClient.removeQueries({ queryKey: projectKey(id) });
  void queryClient.invalidateQueries({ queryKey: lists });
  void queryClient.invalidateQueries({ queryKey: ["conversation"] });
  void refreshConversations();
}

export async function removeProject(id: string) {
  await json<unknown>(one(id), { method: "DELETE" });
  gone(id);
}

export async function leaveProject(id: string) {
  await json<unknown>(`${one(id)}/leave`, send("POST", {}));
  gone(id);
}

type Named = Pick<Member, "kind" | "name">;

export async function putMember(id: string, { kind, name }: Named, role: Role) {
  await json<unknown>(`${one(id)}/members`, send("PUT", { kind, name, role }));
  await refresh(id);
}

export async function removeMember(id: string, { kind, name }: Named) {
  await json<unknown>(`${one(id)}/members`, send("DELETE", { kind, name }));
  await refresh(id);
}

/** To a project, or with `null` out of the one that it is in. */
export async function moveToProject(conversation: string, project: string | null) {
  const path = `/api/conversations/${encodeURIComponent(conversation)}`;
  await json<unknown>(path, last(send("PATCH", { project_id: project })));
  await Promise.all([
    refreshConversations(),
    queryClient.invalidateQueries({ queryKey: keys.conversation(conversation) }),
    queryClient.invalidateQueries({ queryKey: ["project"] }),
  ]);
}

/** Takes another user's conversation out, for owners. */
export async function takeOut(id: string, conversation: string) {
  await json<unknown>(inside(id, conversation), { method: "DELETE" });
  await refresh(id);
}

/** Makes a conversation of the reader's own out of one that is in a project. */
export async function copyFromProject(
  id: string,
  conversation: string,
): Promise<ConversationSummary> {
  const copied = await json<Schemas["CopiedConversation"]>(
    `${inside(id, conversation)}/copy`,
    send("POST", {}),
  );
  void refreshConversations();
  void queryClient.invalidateQueries({ queryKey: projectKey(id) });
  return copied.conversation;
}
