/** What becomes of a draft when the settings it began from change, by its own save or from elsewhere. */
import type { Config } from "../../api/types";
import { draftOf, type SettingsDraft } from "./form";

const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

/** Each part of `mine` if it was changed since `base`, else what `next` has there. */
function pickEach<T extends object>(mine: T, base: T, next: T): T {
  const picked = { ...mine };
  for (const name of Object.keys(mine) as (keyof T)[]) {
    const [own, newer] = [mine[name], next[name]];
    // Spaces that saving takes away may be in the middle of what is being typed. A prompt's are kept.
    const isTrimmed =
      typeof own === "string" &&
      typeof newer === "string" &&
      name !== "systemPrompt" &&
      name !== "promptByDefault" &&
      own.trim() === newer.trim();
    if (same(own, base[name]) && !isTrimmed) picked[name] = newer;
  }
  return picked;
}

interface Entry {
  key: number;
  model: string;
  alias?: string;
}

const byKey = <T extends Entry>(list: readonly T[], key: number) =>
  list.find((one) => one.key === key);

/** `next` with the keys of the entries of `base` that it still has: their rows stay on the page. */
function withKeys<T extends Entry>(next: readonly T[], base: readonly T[]): T[] {
  const result = [...next];
  const found = new Set<number>();
  const free = new Set(base);
  const modelOf = (one: Entry) => one.model.trim();
  const nameOf = (one: Entry) => `${modelOf(one)} ${one.alias?.trim() ?? ""}`;
  for (const likeness of [nameOf, modelOf]) {
    next.forEach((entry, at) => {
      if (found.has(at)) return;
      // Of several alike the one in the same place.
      const here = base[at];
      const old = [...(here ? [here] : []), ...base].find(
        (one) => free.has(one) && likeness(one) === likeness(entry),
      );
      if (!old) return;
      free.delete(old);
      found.add(at);
      result[at] = { ...entry, key: old.key };
    });
  }
  return result;
}

/** The entries and their order are one part; what is in each entry is picked by itself. */
function pickList<T extends Entry>(
  mine: readonly T[],
  base: readonly T[],
  next: readonly T[],
): T[] {
  const order = (list: readonly T[]) => list.map(({ key }) => key);
  // Edited here and taken away elsewhere: no edit is lost.
  const isLost = (one: T) => !byKey(next, one.key) && !same(one, byKey(base, one.key));
  const isMine = !same(order(mine), order(base)) || mine.some(isLost);
  return (isMine ? mine : next).map((one) => {
    const own = byKey(mine, one.key);
    const [before, newer] = [byKey(base, one.key), byKey(next, one.key)];
    return own && before && newer ? pickEach(own, before, newer) : one;
  });
}

/**
 * The draft on top of `config` instead of `base`, which it was made from: edits stay, and whatever was
 * not touched follows. `base` is what it is made from now.
 */
export function rebase(mine: SettingsDraft, base: SettingsDraft, config: Config) {
  const fresh = draftOf(config);
  const next: SettingsDraft = {
    ...fresh,
    seats: withKeys(fresh.seats, base.seats),
    fallbacks: withKeys(fresh.fallbacks, base.fallbacks),
  };
  const draft: SettingsDraft = {
    ...pickEach(mine, base, next),
    seats: pickList(mine.seats, base.seats, next.seats),
    fallbacks: pickList(mine.fallbacks, base.fallbacks, next.fallbacks),
    parts: Object.fromEntries(
      Object.entries(next.parts).map(([name, newer]) => [
        name,
        pickEach(mine.parts[name] ?? newer, base.parts[name] ?? newer, newer),
      ]),
    ),
    byDefault: pickEach(mine.byDefault, base.byDefault, next.byDefault),
  };
  return { draft, base: next };
}
