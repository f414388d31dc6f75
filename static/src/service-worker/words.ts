import { type Words, wordsCache, wordsPath } from "./messages";

/** Until the page has left others. */
const english: Words = {
  lang: "en",
  colours: "light dark",
  kinds: {
    complete: "The council has answered",
    failed: "The council has no answer",
    waits: "A question waits for you",
    test: "Notifications arrive here",
    other: "There is news of a question of yours",
  },
  offline: {
    title: "No connection",
    text: "LLM Council cannot be reached from this device. A deliberation that is under way goes on at the server.",
    again: "Try again",
  },
};

/** What the page has left; texts that an older page did not leave are English. */
export async function readWords(): Promise<Words> {
  const kept = await (await caches.open(wordsCache)).match(wordsPath);
  if (!kept) return english;
  const words: Partial<Words> = await kept.json();
  return {
    ...english,
    ...words,
    kinds: { ...english.kinds, ...words.kinds },
    offline: { ...english.offline, ...words.offline },
  };
}
