/** What is done with folders: apart from what lists them, which every page has. */
import { json, last, send } from "./client";
import { type Folder, folderList, foldersPath } from "./folders";
import { queryClient, refreshConversations } from "./queries";

const one = (id: string) => `${foldersPath}/${encodeURIComponent(id)}`;

export async function makeFolder(name: string): Promise<Folder> {
  const folder = await json<Folder>(foldersPath, send("POST", { name }));
  await queryClient.invalidateQueries({ queryKey: folderList, exact: true });
  return folder;
}

export async function renameFolder(id: string, name: string) {
  await json<unknown>(one(id), send("PATCH", { name }));
  await queryClient.invalidateQueries({ queryKey: folderList, exact: true });
}

export async function removeFolder(id: string) {
  await json<unknown>(one(id), { method: "DELETE" });
  await refreshConversations();
}

/** Into a folder, or with `null` out of the one that it is in. The lists are the caller's to read anew. */
export const putInFolder = (conversation: string, folder: string | null) =>
  json<unknown>(
    `/api/conversations/${encodeURIComponent(conversation)}`,
    last(send("PATCH", { folder_id: folder })),
  );
