import { type FieldError, Problem } from "../../api/problem";
import { numberOf, readNumber, unclearNumber } from "../../ui/numbers";
import { messagesAt } from "../settings/fields";

/** What is wrong with a limit. What the API calls null is not typed: a field is empty, or a button says it. */
export const limitMessages = (errors: readonly FieldError[], field: string) =>
  messagesAt(errors, field).map((message) => message.replace(/, or null( for none)?$/, ""));

/** A limit as it is sent; one that could be a thousand times another sum is never sent. */
export function limitOf(typed: string, field: string): number | string {
  if (readNumber(typed) !== "unclear") return numberOf(typed);
  const message = unclearNumber();
  throw new Problem("refused", message, 0, [{ field, message }]);
}
