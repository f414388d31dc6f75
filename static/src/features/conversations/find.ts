/** What a hit tells the page that it opens. */
export interface Find {
  words: string[];
  snippet: string;
  /** The message that holds it, on whichever branch; absent where only the title does. */
  messageId?: string | undefined;
}

export function isFind(value: unknown): value is Find {
  return (
    typeof value === "object" &&
    value !== null &&
    "words" in value &&
    Array.isArray(value.words) &&
    value.words.every((word) => typeof word === "string") &&
    "snippet" in value &&
    typeof value.snippet === "string" &&
    (!("messageId" in value) ||
      value.messageId === undefined ||
      typeof value.messageId === "string")
  );
}
