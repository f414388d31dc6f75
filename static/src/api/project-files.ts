/** Files of projects, for the parts of the page that are fetched when they are needed. */
import { useQuery } from "@tanstack/react-query";
import { json } from "./client";
import { projectKey, useProject } from "./projects";
import { queryClient } from "./queries";
import type { Schemas } from "./types";

export type ProjectFile = Schemas["ProjectFile"];

const filesOf = (id: string) => `/api/projects/${encodeURIComponent(id)}/files`;
const filesKey = (id: string) => [...projectKey(id), "files"] as const;
const fileOf = (id: string, file: string) => `${filesOf(id)}/${encodeURIComponent(file)}`;

/** Where the server hands a file of the project out. */
export const contentInProject = (id: string, file: string) => `${fileOf(id, file)}/content`;

/** What every question in it is read with, once the project itself has been read. */
export function useProjectFiles(id: string) {
  const isRead = useProject(id).isSuccess;
  return useQuery({
    queryKey: filesKey(id),
    queryFn: async () => (await json<Schemas["ProjectFileList"]>(filesOf(id))).files,
    enabled: isRead,
    staleTime: 60_000,
  });
}

/**
 * `bodyAs`: the form with the file, called this. Where the project has the same file under another name, it keeps that, and
 * it is returned; null otherwise.
 */
export async function addProjectFile(
  id: string,
  name: string,
  bodyAs: (name: string) => FormData | Blob,
): Promise<string | null> {
  const upload = (as: string) =>
    json<ProjectFile>(filesOf(id), { method: "POST", body: bodyAs(as) });
  const before = queryClient.getQueryData<ProjectFile[]>(filesKey(id)) ?? [];
  const added = await upload(name);
  const known = before.find((file) => file.id === added.id)?.filename ?? added.filename;
  // The server calls a file what it was called last.
  const isKept = known !== added.filename && (await upload(known).catch(() => null)) !== null;
  await queryClient.invalidateQueries({ queryKey: filesKey(id) });
  return isKept ? known : null;
}

export async function removeProjectFile(id: string, file: string) {
  await json<unknown>(fileOf(id, file), { method: "DELETE" });
  void queryClient.invalidateQueries({ queryKey: filesKey(id) });
}
