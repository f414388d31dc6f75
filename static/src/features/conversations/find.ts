/** What a hit tells the page that it opens. */
export interface Find {
  words: string[];
  snippet: string;
}

export function isFind(value: unknown): value is Find {
  return (
    typeof value === "object" &&
    value !== null &&
    "words" in value &&
    Array.isArray(value.words) &&
    value.words.every((word) => typeof word === "string") &&
    "snippet" in value &&
    typeof value.snippet === "string"
  );
}
