/**
 * What the page tells its service worker, which knows no language and no theme of its own: words, in a cache of the
 * browser's. Nothing else is ever cached here: several people may use one browser.
 */
export interface Words {
  lang: string;
  /** `light dark`, or the one that was chosen. */
  colours: string;
  /** What a notification says, by the code that it comes with. */
  kinds: Record<"complete" | "failed" | "waits" | "test" | "other", string>;
  /** The page that says that there is no connection. */
  offline: Record<"title" | "text" | "again", string>;
}

export const wordsCache = "words";
export const wordsPath = "/words.json";

/** Of a test: it is about no conversation, and counts for nothing. */
export const testTag = "test";

/** Asks a page that is there already to go to another place. */
export interface GoTo {
  goTo: string;
}
