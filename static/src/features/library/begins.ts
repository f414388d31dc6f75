import type { Content, Kind } from "../../api/library";

/** What a new entry begins with, where it is a copy, or was written elsewhere first. */
type Beginning = Pick<Content, "name" | "text"> & { kind: Kind };

let next: Beginning | null = null;

/** Kept for the page of a new entry, which is opened next. */
export const beginWith = (beginning: Beginning) => {
  next = beginning;
};

/** Takes it, once: the new entry after that begins with nothing. */
export function takeBeginning(kind: Kind | null): Content | undefined {
  const taken = next;
  next = null;
  return taken?.kind === kind ? { name: taken.name, text: taken.text, shared: false } : undefined;
}
