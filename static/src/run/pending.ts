/**
 * Questions on their way: sent, but the server has not yet named their run. A page that is loaded
 * again meanwhile sends them again under the same key, which the server takes for the same question.
 * Kept for this tab only: one that was closed must not ask anything when it is opened days later.
 */
import type { Ask } from "../api/types";
import type { Question } from "../stream/resume";

const keyOf = (conversationId: string) => `asking:${conversationId}`;

const isQuestion = (value: unknown): value is { body: Ask; idempotencyKey: string } =>
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
  read(conversationId: string): Question | null {
    try {
      const value: unknown = JSON.parse(sessionStorage.getItem(keyOf(conversationId)) ?? "null");
      if (!isQuestion(value)) return null;
      return { conversationId, body: value.body, idempotencyKey: value.idempotencyKey };
    } catch {
      // Blocked or not ours: as if nothing had been kept.
      return null;
    }
  },
  write({ conversationId, body, idempotencyKey }: Question) {
    try {
      sessionStorage.setItem(keyOf(conversationId), JSON.stringify({ body, idempotencyKey }));
    } catch {
      // Full or blocked: the question lives as long as the page.
    }
  },
  clear(conversationId: string) {
    try {
      sessionStorage.removeItem(keyOf(conversationId));
    } catch {
      // Blocked: nothing was kept either.
    }
  },
};
