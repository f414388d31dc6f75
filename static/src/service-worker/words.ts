import { english, type Words, wordsCache, wordsPath } from "./messages";

/** The words that the page has left here; those that an older page did not leave are English. */
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
