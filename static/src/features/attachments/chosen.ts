/**
 * The files that go with the next question, by where that is typed. Those that the server has are there again after a
 * reload, in this tab; it keeps what no question comes with for a day.
 */
import { create } from "zustand";
import { identity } from "../../api/identity";
import type { Ask } from "../../api/types";
import { keptInTab } from "../../ui/kept";

export interface ChosenFile {
  key: string;
  name: string;
  /** In bytes; null where this page does not know. */
  size: number | null;
  state: "uploading" | "ready" | "failed";
  /** Under which the server has it. */
  id: string | null;
  /** Why it cannot go with the question. */
  problem: string | null;
}

export type Asked = NonNullable<Ask["attachments"]>;

const none: readonly ChosenFile[] = [];
const keyOf = (place: string | null) => `files:${place ?? "new"}`;

const useFiles = create<{ places: Readonly<Record<string, readonly ChosenFile[]>> }>(() => ({
  places: {},
}));

const isReady = (value: unknown): value is ChosenFile =>
  typeof value === "object" &&
  value !== null &&
  "id" in value &&
  typeof value.id === "string" &&
  "name" in value &&
  typeof value.name === "string" &&
  "state" in value &&
  value.state === "ready";

function kept(key: string): readonly ChosenFile[] {
  try {
    const value: unknown = JSON.parse(keptInTab.read(key) ?? "null");
    return Array.isArray(value) ? value.filter(isReady) : none;
  } catch {
    return none;
  }
}

// What is kept is somebody's: it is shown once it is known that they are signed in.
const fromBefore = new Map<string, readonly ChosenFile[]>();
function read(
  places: Readonly<Record<string, readonly ChosenFile[]>>,
  place: string | null,
): readonly ChosenFile[] {
  const key = keyOf(place);
  const here = places[key];
  if (here || identity.user() === null) return here ?? none;
  const before = fromBefore.get(key) ?? kept(key);
  fromBefore.set(key, before);
  return before;
}
identity.subscribe(() => useFiles.setState(({ places }) => ({ places: { ...places } })));

/** A file of a question that was asked, or was to be. */
const again = (file: Asked[number]): ChosenFile => {
  const { id, filename } = typeof file === "string" ? { id: file, filename: null } : file;
  const name = filename ?? id.slice(0, 12);
  return { key: id, name, size: null, state: "ready", id, problem: null };
};

export const files = {
  of: (place: string | null) => read(useFiles.getState().places, place),
  put(place: string | null, list: readonly ChosenFile[]) {
    const key = keyOf(place);
    useFiles.setState(({ places }) => ({ places: { ...places, [key]: list } }));
    const ready = list.filter(isReady);
    if (identity.user() !== null) {
      keptInTab.write(key, ready.length > 0 ? JSON.stringify(ready) : null);
    }
  },
  change(place: string | null, key: string, change: Partial<ChosenFile>) {
    const list = files.of(place);
    if (!list.some((file) => file.key === key)) return;
    files.put(
      place,
      list.map((file) => (file.key === key ? { ...file, ...change } : file)),
    );
  },
  remove(place: string | null, key: string) {
    files.put(
      place,
      files.of(place).filter((file) => file.key !== key),
    );
  },
  clear(place: string | null) {
    if (files.of(place).length > 0) files.put(place, none);
  },
  /** Puts those of a question that was not asked before those that were chosen since. */
  bringBack(place: string | null, asked: Asked | undefined) {
    if (!asked || asked.length === 0) return;
    const before = asked.map(again);
    const since = files.of(place).filter((file) => !before.some(({ id }) => id === file.id));
    files.put(place, [...before, ...since]);
  },
};

export const useChosenFiles = (place: string | null) =>
  useFiles(({ places }) => read(places, place));

/** As a question names them. */
export const named = (list: readonly ChosenFile[]): Asked =>
  list.flatMap(({ id, name }) => (id === null ? [] : [{ id, filename: name }]));
