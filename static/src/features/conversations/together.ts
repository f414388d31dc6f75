/**
 * The actions on several conversations at once, one request for each, with a way back for all of
 * them.
 */
import { api } from "../../api/client";
import { putInFolder } from "../../api/folder-changes";
import type { Folder } from "../../api/folders";
import { asProblem } from "../../api/problem";
import { keys, queryClient, refreshConversations } from "../../api/queries";
import type { ConversationSummary } from "../../api/types";
import { msg, t } from "../../i18n";
import { toast } from "../../ui/toast";
import { titleOf } from "./title";
import { ofTags } from "./wrong";

type Item = ConversationSummary;

export interface Failed {
  item: Item;
  /** Why, as the server says it. */
  message: string;
}

interface Deed {
  act: (item: Item) => Promise<unknown>;
  undo: (item: Item) => Promise<unknown>;
  /** What was done, with the number of them and these facts. */
  done: string;
  facts?: Record<string, string>;
  /** That it was not undone, with the number and the reason of the first. */
  notUndone: string;
}

/** How many requests are under way at once. */
const atOnce = 4;

async function each(items: readonly Item[], act: Deed["act"]) {
  const done: Item[] = [];
  const failed: Failed[] = [];
  for (let at = 0; at < items.length; at += atOnce) {
    const some = items.slice(at, at + atOnce);
    const ends = await Promise.allSettled(some.map(act));
    for (const [place, end] of ends.entries()) {
      const item = some[place];
      if (!item) continue;
      if (end.status === "fulfilled") done.push(item);
      else failed.push({ item, message: asProblem(end.reason).message });
    }
  }
  for (const { id } of done) queryClient.invalidateQueries({ queryKey: keys.conversation(id) });
  queryClient.invalidateQueries({ queryKey: keys.tags });
  await refreshConversations();
  return { done, failed };
}

/** Does it, says how many it was done with, and answers with those that it was not done with. */
async function together(items: readonly Item[], deed: Deed) {
  const { act, undo, done: text, facts, notUndone } = deed;
  const { done, failed } = await each(items, act);
  if (done.length > 0) {
    toast(t(text, { count: done.length, ...facts }), {
      action: {
        label: t("Undo"),
        run: async () => {
          const { failed: left } = await each(done, undo);
          const [first] = left;
          if (!first) return;
          toast(t(notUndone, { count: left.length, message: first.message }), { tone: "bad" });
        },
      },
    });
  }
  return failed;
}

export const removeAll = (items: readonly Item[]) =>
  together(items, {
    act: ({ id }) => api.remove(id),
    undo: async ({ id }) => {
      await api.restore(id);
      queryClient.removeQueries({ queryKey: keys.conversation(id) });
    },
    done: msg("{{count, number}} conversations were deleted."),
    notUndone: msg("{{count, number}} conversations were not restored: {{message}}"),
  });

export const archiveAll = (items: readonly Item[], archived: boolean) =>
  together(items, {
    act: ({ id }) => api.archive(id, archived, false),
    // Archiving has unpinned them; Undo puts them back where they were.
    undo: ({ id, pinned }) => api.archive(id, !archived, archived && pinned),
    done: archived
      ? msg("{{count, number}} conversations were archived.")
      : msg("{{count, number}} conversations were restored."),
    notUndone: archived
      ? msg("{{count, number}} conversations were not restored: {{message}}")
      : msg("{{count, number}} conversations were not archived: {{message}}"),
  });

export const tagAll = (items: readonly Item[], tag: string) =>
  together(items, {
    act: ({ id, tags }) =>
      api
        .setTags(id, [...new Set([...tags, tag])])
        .catch((error: unknown) => Promise.reject(ofTags(error))),
    undo: ({ id, tags }) => api.setTags(id, tags),
    done: msg("{{count, number}} conversations were tagged."),
    notUndone: msg("{{count, number}} conversations still have the tag: {{message}}"),
  });

/** Into a folder, or with `null` each out of the one that it is in. */
export const fileAll = (items: readonly Item[], folder: Pick<Folder, "id" | "name"> | null) =>
  together(items, {
    act: ({ id }) => putInFolder(id, folder?.id ?? null),
    undo: ({ id, folder_id }) => putInFolder(id, folder_id ?? null),
    done: folder
      ? msg("Moved {{count, number}} conversations to the folder {{folder}}.")
      : msg("{{count, number}} conversations are in no folder any more."),
    ...(folder && { facts: { folder: folder.name } }),
    notUndone: msg("{{count, number}} conversations were not moved back: {{message}}"),
  });

/** One line for each that it was not done with. */
export const failureText = ({ item, message }: Failed) =>
  t("“{{title}}”: {{message}}", { title: titleOf(item), message });
