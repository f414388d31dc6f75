/** What a conversation is called before its title is written. */
import { keys, queryClient } from "../../api/queries";
import type { Conversation } from "../../api/types";
import { t } from "../../i18n";
import { useLiveRuns } from "../asking/live";

/** What the server calls it until then. */
const untitled = /^New Conversation$/;

/** The beginning of a question, up to the end of a word. */
export function headOf(question: string): string {
  const line = question.trim().replaceAll(/\s+/g, " ");
  if (line.length <= 60) return line;
  const cut = line.slice(0, 60);
  return `${cut.includes(" ") ? cut.slice(0, cut.lastIndexOf(" ")) : cut}…`;
}

/** Its title; until there is one the question, where this page knows it. */
export function useShownTitle(
  { id, title }: { id: string; title: string },
  firstQuestion: string | null = null,
): string {
  const live = useLiveRuns((state) => state.runs[id]);
  if (live?.run.title) return live.run.title;
  if (!untitled.test(title)) return title;
  const stored = queryClient.getQueryData<Conversation>(keys.conversation(id))?.messages[0];
  const known = stored?.role === "user" ? stored.content : null;
  const question = firstQuestion ?? live?.question ?? known;
  return question ? headOf(question) : t("New conversation");
}
