/**
 * Questions on their way: sent, but the server has not yet named their run. A page that is loaded
 * again meanwhile sends them again under the same key, which the server takes for the same question.
 * Kept for this tab only: one that was closed must not ask anything when it is opened days later.
 */
import type { Ask } from "../../api/types";
import type { Question } from "../../stream/resume";
import { keptInTab } from "../../ui/kept";

const keyOf = (conversationId: string) => `asking:${conversationId}`;

/** A question that is to be asked once, however often it is sent. */
export interface Waiting {
  body: Ask;
  idempotencyKey: string;
}

export const isQuestion = (value: unknown): value is Waiting =>
  typeof value === "object" &&
  value !== null &&
  "idempotencyKey" in value &&
  typeof value.idempotencyKey === "string" &&
  "body" in value &&
  typeof value.body === "object" &&
  value.body !== null &&
  "content" in value.body &&
  typeof value.body.content === "string";

export const pending = {
  /** Whether the conversation begins with the question that is on its way: the server has none yet. */
  begins: (conversationId: string) => pending.read(conversationId)?.body.new_conversation === true,
  read(conversationId: string): Question | null {
    try {
      const value: unknown = JSON.parse(keptInTab.read(keyOf(conversationId)) ?? "null");
      if (!isQuestion(value)) return null;
      return { conversationId, body: value.body, idempotencyKey: value.idempotencyKey };
    } catch {
      // Not ours: as if nothing had been kept.
      return null;
    }
  },
  write({ conversationId, body, idempotencyKey }: Question) {
    keptInTab.write(keyOf(conversationId), JSON.stringify({ body, idempotencyKey }));
  },
  clear(conversationId: string) {
    keptInTab.write(keyOf(conversationId), null);
  },
};
