import { lazy, type RefObject, Suspense, useLayoutEffect, useState } from "react";
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
  const [asked, setAsked] = useState<ConversationSummary | null>(null);
  const [moved, setMoved] = useState<{ id: string; to: string | undefined } | null>(null);
  useLayoutEffect(() => {
    if (!moved || document.activeElement !== document.body) return;
    const find = (what: string) => list.current?.querySelector<HTMLElement>(`.entry > ${what}`);
    const entry = find(`[href="/c/${moved.id}"] ~ .entry-actions button`);
    (entry ?? find(`[data-folder="${moved.to}"]`) ?? find("a"))?.focus();
  }, [moved, list]);
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
    ask: setAsked,
    drop,
    dialog: asked && (
      <Suspense fallback={null}>
        <MoveDialog
          items={[asked]}
          onClose={() => setAsked(null)}
          onMoved={(to) => {
            setAsked(null);
            setMoved({ id: asked.id, to: to?.id });
          }}
        />
      </Suspense>
    ),
  };
}
