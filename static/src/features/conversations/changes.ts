/** Deleting and putting aside, each with a way back, and keeping at the top. */
import { api } from "../../api/client";
import { keys, queryClient, refreshConversations } from "../../api/queries";
import type { ConversationSummary } from "../../api/types";
import { msg, t } from "../../i18n";
import { complain } from "../../ui/complain";
import { toast } from "../../ui/toast";
import { titleOf } from "./title";

type Item = Pick<ConversationSummary, "id" | "title" | "title_is_default" | "pinned">;

export async function remove(item: Item, open: { is: boolean; go: (path: string) => void }) {
  try {
    await api.remove(item.id);
  } catch (error) {
    return complain(msg("Not deleted: {{message}}"))(error);
  }
  // A reader who has gone to another page by then stays there.
  if (location.pathname === `/c/${item.id}`) open.go("/");
  await refreshConversations();
  toast(t("“{{title}}” was deleted.", { title: titleOf(item) }), {
    action: {
      label: t("Undo"),
      run: () => {
        api.restore(item.id).then(
          () => {
            queryClient.removeQueries({ queryKey: keys.conversation(item.id) });
            refreshConversations();
            if (open.is) open.go(`/c/${item.id}`);
          },
          complain(msg("Not restored: {{message}}")),
        );
      },
    },
  });
}

export async function archive(item: Item, archived: boolean) {
  try {
    // Archiving has unpinned it; Undo puts it back where it was.
    await api.archive(item.id, archived, !archived && item.pinned);
  } catch (error) {
    return complain(archived ? msg("Not archived: {{message}}") : msg("Not restored: {{message}}"))(
      error,
    );
  }
  await Promise.all([
    refreshConversations(),
    queryClient.invalidateQueries({ queryKey: keys.conversation(item.id) }),
  ]);
  const done = archived ? msg("“{{title}}” was archived.") : msg("“{{title}}” was restored.");
  toast(t(done, { title: titleOf(item) }), {
    action: { label: t("Undo"), run: () => archive(item, !archived) },
  });
}

/** Whether that was done; the list shows it then. */
export async function pin(item: Item, pinned: boolean): Promise<boolean> {
  try {
    await api.pin(item.id, pinned);
  } catch (error) {
    complain(pinned ? msg("Not pinned: {{message}}") : msg("Still pinned: {{message}}"))(error);
    return false;
  }
  await Promise.all([
    refreshConversations(),
    queryClient.invalidateQueries({ queryKey: keys.conversation(item.id) }),
  ]);
  return true;
}
