import { useEffect, useRef, useState } from "react";
import { api } from "../../api/client";
import { keys, queryClient, refreshConversations } from "../../api/queries";
import type { ConversationSummary } from "../../api/types";
import { msg, t } from "../../i18n";
import { complain } from "../../ui/complain";
import { isForInputMethod } from "../../ui/composing";
import { titleOf } from "./title";
import { ofTitle, titleLength } from "./wrong";

/** In the place of a conversation's title, to write another one. */
export function RenameBox({ item, onDone }: { item: ConversationSummary; onDone: () => void }) {
  const [title, setTitle] = useState(item.title_is_default ? "" : item.title);
  const box = useRef<HTMLInputElement>(null);
  const left = useRef(false);
  useEffect(() => {
    box.current?.focus();
    box.current?.select();
  }, []);
  const leave = async (keep: boolean) => {
    if (left.current) return;
    left.current = true;
    const next = title.trim();
    if (keep && next && next !== item.title) {
      try {
        await api.rename(item.id, next);
        await Promise.all([
          refreshConversations(),
          queryClient.invalidateQueries({ queryKey: keys.conversation(item.id) }),
        ]);
      } catch (error) {
        complain(msg("Not renamed: {{message}}"))(ofTitle(error));
        // What was typed stays, to be saved again.
        left.current = false;
        return;
      }
    }
    onDone();
  };
  return (
    <input
      ref={box}
      className="rename"
      aria-label={t("New title for {{title}}", { title: titleOf(item) })}
      value={title}
      maxLength={titleLength}
      onChange={(event) => setTitle(event.target.value)}
      onBlur={() => leave(true)}
      onKeyDown={(event) => {
        // The list around it moves by these.
        event.stopPropagation();
        if (isForInputMethod(event.nativeEvent)) return;
        if (event.key === "Enter") leave(true);
        if (event.key === "Escape") {
          // Leaves the box only, not the drawer around it.
          event.preventDefault();
          leave(false);
        }
      }}
    />
  );
}
