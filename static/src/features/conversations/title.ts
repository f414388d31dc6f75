/** What a conversation is called before its title is written. */
import { keys, queryClient } from "../../api/queries";
import type { Conversation, ConversationSummary } from "../../api/types";
import { t } from "../../i18n";
import { useLiveRuns } from "../asking/runs";

type Titled = Pick<ConversationSummary, "title" | "title_is_default">;

/** Its own title, or what every conversation is called until it has one. */
export const titleOf = ({ title, title_is_default }: Titled) =>
  title_is_default ? t("New conversation") : title;

/** The beginning of a question, up to the end of a word. */
export function headOf(question: string): string {
  const line = question.trim().replaceAll(/\s+/g, " ");
  if (line.length <= 60) return line;
  const cut = line.slice(0, 60);
  return `${cut.includes(" ") ? cut.slice(0, cut.lastIndexOf(" ")) : cut}…`;
}

/** Its title; until there is one the question, where this page knows it. */
export function useShownTitle(
  conversation: Titled & { id: string },
  firstQuestion: string | null = null,
): string {
  const { id } = conversation;
  const live = useLiveRuns((state) => state.runs[id]);
  // A title that somebody has written in the meantime counts, and not the one that the run was
  // given.
  if (!conversation.title_is_default) return conversation.title;
  if (live?.run.title) return live.run.title;
  const stored = queryClient.getQueryData<Conversation>(keys.conversation(id))?.messages[0];
  const known = stored?.role === "user" ? stored.content : null;
  const question = firstQuestion ?? live?.question ?? known;
  return question ? headOf(question) : titleOf(conversation);
}
