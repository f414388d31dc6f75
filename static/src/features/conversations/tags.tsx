import { useId, useState } from "react";
import { api } from "../../api/client";
import { asProblem } from "../../api/problem";
import { keys, queryClient, refreshConversations, useTags } from "../../api/queries";
import type { Conversation } from "../../api/types";
import { Icon } from "../../ui/icon";
import { toast } from "../../ui/toast";

async function save(conversation: Conversation, tags: string[]) {
  try {
    await api.setTags(conversation.id, tags);
    await Promise.all([
      queryClient.invalidateQueries({ queryKey: keys.conversation(conversation.id) }),
      queryClient.invalidateQueries({ queryKey: keys.tags }),
      refreshConversations(),
    ]);
  } catch (error) {
    toast(`The tags were not changed: ${asProblem(error).message}`, { tone: "bad" });
  }
}

function NewTag({ taken, onDone }: { taken: readonly string[]; onDone: (tag: string) => void }) {
  const known = useTags();
  const [text, setText] = useState("");
  const id = useId();
  const offered = [...(known.data?.tags ?? []), ...(known.data?.suggestions ?? [])];
  return (
    <>
      <input
        className="rename"
        aria-label="New tag"
        list={id}
        maxLength={50}
        // biome-ignore lint/a11y/noAutofocus: it opens by the press of a button, to be typed into
        autoFocus
        value={text}
        onChange={(event) => setText(event.target.value)}
        onBlur={() => onDone(text.trim())}
        onKeyDown={(event) => {
          if (event.key === "Enter" && !event.nativeEvent.isComposing) onDone(text.trim());
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

export function TagEditor({ conversation }: { conversation: Conversation }) {
  const { tags } = conversation;
  const [adding, setAdding] = useState(false);
  return (
    <div className="tag-editor">
      {tags.map((tag) => (
        <span key={tag} className="tag">
          {tag}
          <button
            type="button"
            className="icon-button"
            aria-label={`Remove the tag ${tag}`}
            onClick={() =>
              save(
                conversation,
                tags.filter((other) => other !== tag),
              )
            }
          >
            <Icon name="close" />
          </button>
        </span>
      ))}
      {adding ? (
        <NewTag
          taken={tags}
          onDone={(tag) => {
            setAdding(false);
            if (tag && !tags.includes(tag)) save(conversation, [...tags, tag]);
          }}
        />
      ) : (
        <button type="button" className="quiet-button" onClick={() => setAdding(true)}>
          <Icon name="plus" />
          Tag
        </button>
      )}
    </div>
  );
}
