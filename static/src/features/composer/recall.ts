import { keys, queryClient } from "../../api/queries";
import type { Conversation } from "../../api/types";
import { useLiveRuns } from "../asking/runs";
import { askedHere } from "./asked-here";

/**
 * The questions of a conversation as it is shown, the newest first; each once. The one that was asked last may not be stored yet,
 * or not read. Of a new conversation, those that were asked here.
 */
function questionsOf(conversationId: string | null): string[] {
  if (conversationId === null) return askedHere();
  const shown = queryClient.getQueryData<Conversation>(keys.conversation(conversationId));
  const asked = shown?.messages.flatMap((message) =>
    message.role === "user" ? [message.content] : [],
  );
  const latest = useLiveRuns.getState().runs[conversationId]?.question ?? null;
  return [...new Set([...(latest === null ? [] : [latest]), ...(asked?.toReversed() ?? [])])];
}

type Pressed = Pick<KeyboardEvent, "key" | "shiftKey" | "ctrlKey" | "altKey" | "metaKey"> & {
  currentTarget: Pick<HTMLTextAreaElement, "selectionStart" | "selectionEnd">;
};

/** Whether the arrow would leave the text: there is no line above, or below. */
function leaves(content: string, { key, currentTarget }: Pressed): boolean {
  const { selectionStart, selectionEnd } = currentTarget;
  const way = key === "ArrowUp" ? content.slice(0, selectionStart) : content.slice(selectionEnd);
  return !way.includes("\n");
}

/**
 * What an arrow brings into a composer that is empty, or holds a question just as it was asked before: the one before that,
 * or the one after. Null where the arrow only moves in the text.
 */
export function recalled(
  conversationId: string | null,
  content: string,
  pressed: Pressed,
): string | null {
  const { key, shiftKey, ctrlKey, altKey, metaKey } = pressed;
  if ((key !== "ArrowUp" && key !== "ArrowDown") || shiftKey || ctrlKey || altKey || metaKey) {
    return null;
  }
  if (!leaves(content, pressed)) return null;
  const questions = questionsOf(conversationId);
  const at = content === "" ? -1 : questions.indexOf(content);
  if (content !== "" && at < 0) return null;
  const next = key === "ArrowUp" ? at + 1 : at - 1;
  if (next === -1) return "";
  return questions[next] ?? null;
}
