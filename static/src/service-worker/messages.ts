/**
 * What the page tells its service worker, which knows no language and no theme of its own: words, in a cache of the
 * browser's. Nothing else is ever cached here: several people may use one browser.
 */
import { msg } from "../i18n/msg";

export interface Words {
  lang: string;
  /** `light dark`, or the one that was chosen. */
  colours: string;
  /** What a notification says, by the code that it comes with. */
  kinds: Record<"complete" | "failed" | "waits" | "test" | "other", string>;
  /** The page that says that there is no connection. */
  offline: Record<"title" | "text" | "again", string>;
}

/** Used until the page has left others. */
export const english: Words = {
  lang: "en",
  colours: "light dark",
  kinds: {
    complete: msg("The council has answered"),
    failed: msg("The council has no answer"),
    waits: msg("A question waits for you"),
    test: msg("Notifications arrive here"),
    other: msg("There is news about one of your questions"),
  },
  offline: {
    title: msg("No connection"),
    text: msg(
      "LLM Council cannot be reached from this device. A deliberation that is under way goes on at the server.",
    ),
    again: msg("Try again"),
  },
};

export const wordsCache = "words";
export const wordsPath = "/words.json";

/** Of a test: it is about no conversation, and counts for nothing. */
export const testTag = "test";

/** Asks a page that is there already to go to another place. */
export interface GoTo {
  goTo: string;
}
