/** The library: prompts to put into a question, and rubrics that reviewers judge by. */
import { keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { json, send } from "./client";
import { pageSize, queryClient } from "./queries";
import type { Schemas } from "./types";

export type Kind = Schemas["LibraryKind"];
export type Entry = Schemas["LibraryEntryView"];
export type EntrySummary = Schemas["LibrarySummary"];
export type Version = Schemas["LibraryVersionView"];
export type Draft = Schemas["RubricDraft"];

export interface Content {
  name: string;
  text: string;
  shared: boolean;
}

const base = "/api/library";
const all = ["library"] as const;
const lists = [...all, "list"] as const;
const entryKey = (id: string) => [...all, "entry", id] as const;
const one = (id: string) => `${base}/${encodeURIComponent(id)}`;

const pageOf = (kind: Kind | null, name: string, limit: number, offset: number) => {
  const query = new URLSearchParams({ limit: String(limit), offset: String(offset) });
  if (kind) query.set("kind", kind);
  if (name) query.set("q", name);
  return json<Schemas["LibraryList"]>(`${base}?${query}`);
};

/** One's own and the shared ones, by name, page by page. */
export const useLibrary = (kind: Kind | null, name: string) =>
  useInfiniteQuery({
    queryKey: [...lists, kind, name],
    queryFn: ({ pageParam }) => pageOf(kind, name, pageSize, pageParam),
    initialPageParam: 0,
    getNextPageParam: (last, pages) => {
      const seen = pages.reduce((sum, page) => sum + page.entries.length, 0);
      return last.entries.length > 0 && seen < last.total ? seen : undefined;
    },
  });

/** The first of a kind whose names contain this: no more than anybody would choose among. */
export const useChoice = (kind: Kind, name = "") =>
  useQuery({
    queryKey: [...lists, "choice", kind, name],
    queryFn: async () => (await pageOf(kind, name, 200, 0)).entries,
    staleTime: 30_000,
    // A list that is gone for a moment loses the key that was to choose in it.
    placeholderData: keepPreviousData,
  });

const entryQuery = (id: string) => ({
  queryKey: entryKey(id),
  queryFn: () => json<Entry>(one(id)),
});

export const useEntry = (id: string) => useQuery({ ...entryQuery(id), enabled: id !== "" });

/** The entry as it is now. */
export const readEntry = (id: string) =>
  queryClient.fetchQuery({ ...entryQuery(id), staleTime: 0 });

export const useVersion = (id: string, version: number) =>
  useQuery({
    queryKey: [...entryKey(id), version],
    queryFn: () => json<Version>(`${one(id)}/versions/${version}`),
    staleTime: Number.POSITIVE_INFINITY,
  });

async function known(entry: Entry): Promise<Entry> {
  // One that was asked for before would bring what held then.
  await queryClient.cancelQueries({ queryKey: entryKey(entry.id), exact: true });
  queryClient.setQueryData(entryKey(entry.id), entry);
  void queryClient.invalidateQueries({ queryKey: lists });
  return entry;
}

export const addEntry = async (kind: Kind, content: Content) =>
  known(await json<Entry>(base, send("POST", { kind, ...content })));

/** `read` is the version that is changed; where it is not the newest any more, nothing is. */
export const changeEntry = async (id: string, read: number, content: Content) =>
  known(await json<Entry>(one(id), send("PUT", { version: read, ...content })));

export const restoreVersion = async (id: string, read: number, from: number) =>
  known(await json<Entry>(`${one(id)}/restore`, send("POST", { version: read, from })));

export async function removeEntry(id: string) {
  await json<unknown>(one(id), { method: "DELETE" });
  queryClient.removeQueries({ queryKey: entryKey(id) });
  await queryClient.invalidateQueries({ queryKey: lists });
}

/** A rubric that a model drafts from the question; nobody saves it. */
export const draftRubric = (question: string) =>
  json<Draft>(`${base}/rubrics/draft`, send("POST", { question }));
