/**
 * The files that go with the next question, by where that is typed. Those of the question before go with it again until
 * somebody adds or removes one. What was chosen here is there again after a reload, in this tab; the server keeps what
 * no question comes with for a day.
 */
import { create } from "zustand";
import { identity } from "../../api/identity";
import type { Ask } from "../../api/types";
import { keptInTab } from "../../ui/kept";

export interface ChosenFile {
  key: string;
  name: string;
  /** In bytes; null where this page does not know it. */
  size: number | null;
  state: "uploading" | "ready" | "failed";
  /** The server's id of it. */
  id: string | null;
  /** Why it cannot go with the question. */
  problem: string | null;
  /** Whether it is here because the question before came with it. */
  fromBefore?: boolean;
  /** Of a picture, the address of a small one; in its place the server's is kept, which has it by then. */
  thumbnail?: string | null;
}

/** A file of a question that was asked, as far as the next one wants to know. */
interface OfBefore {
  id: string;
  filename: string;
  width?: number | null;
}

/** Where the server hands a file out. */
export const contentOf = (id: string) => `/api/attachments/${id}/content`;

// A question names its files and does not say what they are.
const pictures = new Set<string>();
/** Which files, by their ids, are known to be pictures. */
export const knownPictures = {
  has: (id: string) => pictures.has(id),
  note(file: Pick<OfBefore, "id" | "width">) {
    if (file.width) pictures.add(file.id);
  },
};

export type Asked = NonNullable<Ask["attachments"]>;

const none: readonly ChosenFile[] = [];
const keyOf = (place: string | null) => `files:${place ?? "new"}`;

type ByPlace = Readonly<Record<string, readonly ChosenFile[]>>;
interface Files {
  /** What was chosen, where anything was. */
  places: ByPlace;
  /** The files of the question before. */
  offered: ByPlace;
}
const useFiles = create<Files>(() => ({ places: {}, offered: {} }));

const isReady = (value: unknown): value is ChosenFile =>
  typeof value === "object" &&
  value !== null &&
  "id" in value &&
  typeof value.id === "string" &&
  "name" in value &&
  typeof value.name === "string" &&
  "state" in value &&
  value.state === "ready";

/**
 * As it was left; undefined where nothing was chosen. The keys that files had before the reload are given to others
 * since.
 */
function kept(key: string): readonly ChosenFile[] | undefined {
  try {
    const value: unknown = JSON.parse(keptInTab.read(key) ?? "null");
    if (!Array.isArray(value)) return undefined;
    return value.filter(isReady).map((file) => ({ ...file, key: file.id ?? file.key }));
  } catch {
    return undefined;
  }
}

// What is kept is somebody's: it is shown once it is known that they are signed in.
const beforeReload = new Map<string, readonly ChosenFile[] | undefined>();
function chosen(places: ByPlace, key: string): readonly ChosenFile[] | undefined {
  const here = places[key];
  if (here || identity.user() === null) return here;
  if (!beforeReload.has(key)) beforeReload.set(key, kept(key));
  return beforeReload.get(key);
}
const read = ({ places, offered }: Files, place: string | null): readonly ChosenFile[] =>
  chosen(places, keyOf(place)) ?? offered[keyOf(place)] ?? none;
identity.subscribe(() => useFiles.setState(({ places }) => ({ places: { ...places } })));

/** A file of a question that was asked, or was to be. */
const again = (file: Asked[number]): ChosenFile => {
  const { id, filename } = typeof file === "string" ? { id: file, filename: null } : file;
  const name = filename ?? id.slice(0, 12);
  const picture = knownPictures.has(id) && { thumbnail: contentOf(id) };
  return { key: id, name, size: null, state: "ready", id, problem: null, ...picture };
};

export const files = {
  of: (place: string | null) => read(useFiles.getState(), place),
  /** The files of the question before: they go with the next one, too, unless others are chosen. */
  offer(place: string, asked: readonly OfBefore[]) {
    asked.forEach(knownPictures.note);
    const list = asked.map(({ id, filename }) => ({
      ...again({ id, filename }),
      fromBefore: true,
    }));
    useFiles.setState(({ offered }) => ({ offered: { ...offered, [keyOf(place)]: list } }));
  },
  put(place: string | null, list: readonly ChosenFile[]) {
    const key = keyOf(place);
    useFiles.setState(({ places }) => ({ places: { ...places, [key]: list } }));
    if (identity.user() === null) return;
    const kept = list
      .filter(isReady)
      .map(({ thumbnail, ...file }) =>
        thumbnail && file.id ? { ...file, thumbnail: contentOf(file.id) } : file,
      );
    keptInTab.write(key, JSON.stringify(kept));
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
  /** Its question was asked: the next one has what that came with. */
  clear(place: string | null) {
    const key = keyOf(place);
    beforeReload.delete(key);
    if (identity.user() !== null) keptInTab.write(key, null);
    useFiles.setState(({ places: { [key]: _, ...places } }) => ({ places }));
  },
  /** Puts those of a question that was not asked before those that were chosen since. */
  bringBack(place: string | null, asked: Asked = []) {
    const { places, offered } = useFiles.getState();
    const before = asked.map(again);
    const since = (chosen(places, keyOf(place)) ?? none).filter(
      (file) => !before.some(({ id }) => id === file.id),
    );
    const list = [...before, ...since];
    // One that came without the files of the question before was meant to.
    if (list.length > 0 || offered[keyOf(place)]?.length) files.put(place, list);
  },
};

export const useChosenFiles = (place: string | null) => useFiles((state) => read(state, place));

/** As a question names them. */
export const named = (list: readonly ChosenFile[]): Asked =>
  list.flatMap(({ id, name }) => (id === null ? [] : [{ id, filename: name }]));

const idOf = (file: Asked[number]) => (typeof file === "string" ? file : file.id);

/** The files of two questions that become one, each once. */
export const union = (first: Asked = [], second: Asked = []): Asked => [
  ...first,
  ...second.filter((file) => !first.some((other) => idOf(other) === idOf(file))),
];
