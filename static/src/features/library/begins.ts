import type { Content, Entry, Kind } from "../../api/library";

/** What a new entry begins with, where it is a copy, or was written elsewhere first. */
type Beginning = Pick<Content, "name" | "text"> & { kind: Kind };

/** What the page of a new entry begins with. */
interface Begun {
  content: Content;
  /** Where it was written first: told of the entry once that is saved. */
  onMade: ((entry: Entry) => void) | undefined;
}

let next: { beginning: Beginning; onMade: Begun["onMade"] } | null = null;

/** Kept for the page of a new entry, which is opened next. */
export const beginWith = (beginning: Beginning, onMade?: Begun["onMade"]) => {
  next = { beginning, onMade };
};

/** Takes it, once: the new entry after that begins with nothing. */
export function takeBeginning(kind: Kind | null): Begun | null {
  const taken = next;
  next = null;
  if (taken?.beginning.kind !== kind) return null;
  const { name, text } = taken.beginning;
  return { content: { name, text, shared: false }, onMade: taken.onMade };
}
