import { useQuery } from "@tanstack/react-query";
import { api } from "../../api/client";
import { keys } from "../../api/queries";
import type { AssistantMessage, RunResult } from "../../api/types";
import { msg, t } from "../../i18n";
import { ReadFailed } from "../../ui/read-failed";
import { Deliberation } from "../council/deliberation";
import { fromStored } from "../reducer";

/** A run's result as the message it once was. */
function messageOf(result: RunResult): AssistantMessage {
  const { run_id, message_id, status, error, created_at, ...rest } = result;
  const message = { id: message_id, parent_id: null, run_id, status, error, created_at };
  return { ...rest, ...message, role: "assistant" };
}

/** An answer that was asked for again since: to be read, and nothing else. */
export default function EarlierAnswer({ runId, question }: { runId: string; question: string }) {
  const found = useQuery({
    queryKey: keys.run(runId),
    queryFn: async () => {
      const result = await api.run(runId);
      return { message: messageOf(result), conversationId: result.conversation_id };
    },
    // It never changes.
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (found.isPending) return <p className="quiet">{t("Loading this version…")}</p>;
  if (found.isError) {
    return <ReadFailed text={msg("This version could not be loaded: {{reason}}")} query={found} />;
  }
  const { message, conversationId } = found.data;
  return (
    <Deliberation
      question={question}
      run={fromStored(message, conversationId)}
      live={null}
      latest
      earlier
      onReattach={() => undefined}
    />
  );
}
