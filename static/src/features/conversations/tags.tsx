import { useMutation } from "@tanstack/react-query";
import { useEffect, useId, useRef, useState } from "react";
import { api } from "../../api/client";
import { keys, queryClient, refreshConversations, useTags } from "../../api/queries";
import type { Conversation } from "../../api/types";
import { msg, t } from "../../i18n";
import { complain } from "../../ui/complain";
import { isForInputMethod } from "../../ui/composing";
import { passFocusOn } from "../../ui/focus";
import { Icon } from "../../ui/icon";
import { tagText } from "./tag-text";
import { ofTags, tagLength } from "./wrong";

/**
 * Shows changes at once here, and tells the server one after the other: each is all the tags. A change is made
 * to the tags as they are by then, which the page may not show yet.
 */
function useChangeTags(id: string) {
  const key = keys.conversation(id);
  const mutationKey = ["tags", id];
  const { mutate } = useMutation({
    mutationKey,
    scope: { id: mutationKey.join(" ") },
    mutationFn: (tags: string[]) => api.setTags(id, tags),
    onMutate: (tags) => {
      // What is being read is older than this change.
      void queryClient.cancelQueries({ queryKey: key });
      queryClient.setQueryData<Conversation>(key, (old) => old && { ...old, tags });
    },
    onError: (error) => complain(msg("The tags were not changed: {{message}}"))(ofTags(error)),
    onSettled: () => {
      // What is read between two changes is older than what is shown.
      if (queryClient.isMutating({ mutationKey }) > 1) return;
      queryClient.invalidateQueries({ queryKey: key });
      queryClient.invalidateQueries({ queryKey: keys.tags });
      refreshConversations();
    },
  });
  /** The tags once everything is done that was begun: what was read meanwhile may not know of it. */
  const now = () => {
    const begun = queryClient.getMutationCache().findAll({ mutationKey, status: "pending" });
    const last = begun.at(-1)?.state.variables as string[] | undefined;
    return last ?? queryClient.getQueryData<Conversation>(key)?.tags ?? [];
  };
  return (change: (tags: string[]) => string[], refused = () => {}) =>
    mutate(change(now()), { onError: refused });
}

interface NewTagProps {
  taken: readonly string[];
  /** What was typed before, and not saved. */
  refused: string;
  onDone: (tag: string) => void;
}

function NewTag({ taken, refused, onDone }: NewTagProps) {
  const known = useTags();
  const [text, setText] = useState(refused);
  const id = useId();
  const box = useRef<HTMLInputElement>(null);
  useEffect(() => {
    // A reader who has gone elsewhere by then stays there.
    if (refused && document.activeElement?.matches(`body, ${menu}`)) box.current?.focus();
  }, [refused]);
  const offered = [...(known.data?.tags ?? []), ...(known.data?.suggestions ?? [])];
  return (
    <>
      <input
        ref={box}
        className="rename"
        aria-label={t("New tag")}
        list={id}
        maxLength={tagLength}
        // biome-ignore lint/a11y/noAutofocus: it opens by the press of a button, to be typed into
        autoFocus={refused === ""}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onBlur={() => onDone(text.trim())}
        onKeyDown={(event) => {
          if (isForInputMethod(event.nativeEvent)) return;
          if (event.key === "Enter") {
            // The button that has the focus next is not meant by it.
            event.preventDefault();
            onDone(text.trim());
          }
          if (event.key === "Escape") onDone("");
        }}
      />
      <datalist id={id}>
        {[...new Set(offered)]
          .filter((tag) => !taken.includes(tag))
          .map((tag) => (
            <option key={tag} value={tag} />
          ))}
      </datalist>
    </>
  );
}

/** What begins a new tag: beside the tags, or in the menu of the head. */
const newTag = ".tag-editor > .quiet-button";
const menu = ".head-menu";

interface Props {
  conversation: Conversation;
  /** Whether a tag is being typed. */
  adding: boolean;
  onAdding: (adding: boolean) => void;
  /** The way to a new tag is in the menu next to it. */
  fromMenu: boolean;
}

export function TagEditor({ conversation, adding, onAdding, fromMenu }: Props) {
  const { id, tags } = conversation;
  const changeTags = useChangeTags(id);
  const [refused, setRefused] = useState("");
  const wasAdding = useRef(false);
  useEffect(() => {
    // Unless the box was left for somewhere else, keys go on from here.
    if (wasAdding.current && !adding && document.activeElement === document.body) {
      document.querySelector<HTMLElement>(`${newTag}, ${menu}`)?.focus();
    }
    wasAdding.current = adding;
  }, [adding]);
  if (fromMenu && tags.length === 0 && !adding) return null;
  return (
    <div className="tag-editor">
      {tags.map((tag) => (
        <span key={tag} className="tag">
          {tagText(tag)}
          <button
            type="button"
            className="icon-button"
            aria-label={t("Remove the tag {{tag}}", { tag: tagText(tag) })}
            onClick={(event) => {
              passFocusOn(event.currentTarget.parentElement, "button", menu);
              changeTags((now) => now.filter((other) => other !== tag));
            }}
          >
            <Icon name="close" />
          </button>
        </span>
      ))}
      {adding ? (
        <NewTag
          taken={tags}
          refused={refused}
          onDone={(tag) => {
            setRefused("");
            onAdding(false);
            if (!tag) return;
            changeTags(
              (now) => (now.includes(tag) ? now : [...now, tag]),
              () => {
                setRefused(tag);
                onAdding(true);
              },
            );
          }}
        />
      ) : (
        !fromMenu && (
          <button type="button" className="quiet-button" onClick={() => onAdding(true)}>
            <Icon name="plus" />
            {t("Tag")}
          </button>
        )
      )}
    </div>
  );
}
