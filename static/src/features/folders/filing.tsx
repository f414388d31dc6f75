import { lazy, type RefObject, Suspense, useLayoutEffect, useRef, useState } from "react";
import type { Folder } from "../../api/folders";
import type { ConversationSummary } from "../../api/types";
import { msg } from "../../i18n";
import { complain } from "../../ui/complain";
import { orMissing } from "../../ui/part";
import { toast } from "../../ui/toast";

const MoveDialog = lazy(() => orMissing(import("./move-dialog")));

/**
 * Puts single conversations into folders: by a dialog, or where they were dropped. The entry is drawn anew in another part of the
 * list: if it had the focus it has it there, or the folder has it where that is closed.
 */
export function useFiling(list: RefObject<HTMLElement | null>) {
  const [asked, setAsked] = useState<readonly ConversationSummary[] | null>(null);
  const moved = useRef<readonly [id: string | undefined, to: string | undefined] | null>(null);
  const held = useRef<HTMLElement | null>(null);
  // At every change of the list: the first folder exists before it is drawn, and until then something else has the focus.
  useLayoutEffect(() => {
    if (!moved.current) return;
    const [id, to] = moved.current;
    const find = (what: string) => list.current?.querySelector<HTMLElement>(`.entry > ${what}`);
    const place =
      find(`[href="/c/${id}"] ~ .entry-actions button`) ?? find(`[data-folder="${to}"]`);
    const { activeElement } = document;
    const isMine = activeElement === document.body || activeElement === held.current;
    if (place || !isMine) moved.current = null;
    if (isMine) {
      held.current = place ?? find("a") ?? null;
      held.current?.focus();
    }
  });
  const drop = async (item: ConversationSummary, folder: Folder | null) => {
    try {
      const { fileAll, failureText } = await import("../conversations/together");
      for (const failed of await fileAll([item], folder)) {
        toast(failureText(failed), { tone: "bad" });
      }
    } catch (error) {
      complain(msg("Not moved: {{message}}"))(error);
    }
  };
  return {
    /** Asks where to; without one, what a new folder is to be called. */
    ask: (item?: ConversationSummary) => setAsked(item ? [item] : []),
    drop,
    dialog: asked && (
      <Suspense fallback={null}>
        <MoveDialog
          items={asked}
          onClose={() => setAsked(null)}
          onMoved={(to) => {
            setAsked(null);
            moved.current = [asked[0]?.id, to?.id];
          }}
        />
      </Suspense>
    ),
  };
}
