/**
 * The next questions of a conversation: asked while a run was under way, they wait for that run's answer, and each for that of
 * the one before. Kept across reloads, and shared by the tabs of this browser: under its key each is asked only once.
 */
import { useSyncExternalStore } from "react";
import { identity } from "../../api/identity";
import type { Ask } from "../../api/types";
import { kept } from "../../ui/kept";
import { union } from "../attachments/chosen";
import { writtenIn } from "../options/choices";
import { newKey } from "./key";
import { isQuestion, type Waiting } from "./pending";

const keyOf = (id: string) => `next:${id}`;
const none: readonly Waiting[] = [];
const read = new Map<string, { text: string | null; waiting: readonly Waiting[] }>();
const listeners = new Set<() => void>();
const tell = () => {
  for (const listener of listeners) listener();
};

function parse(text: string | null): readonly Waiting[] {
  try {
    const value: unknown = JSON.parse(text ?? "[]");
    // A release that kept one of them kept it by itself.
    const list = (Array.isArray(value) ? value : [value]).filter(isQuestion);
    return list.length > 0 ? list : none;
  } catch {
    return none;
  }
}

/** Questions for the same addressee: the council, or one seat. */
const isForSame = (one: Ask, other: Ask) => (one.direct_to ?? null) === (other.direct_to ?? null);

export const next = {
  /** In the order in which they will be asked. */
  read(id: string): readonly Waiting[] {
    const text = identity.user() === null ? null : kept.read(keyOf(id));
    let known = read.get(id);
    if (!known || known.text !== text) {
      known = { text, waiting: parse(text) };
      read.set(id, known);
    }
    return known.waiting;
  },
  /** One for the same as the last that waits is added to that: it is one question then. */
  add(id: string, body: Ask) {
    const all = next.read(id);
    const last = all.at(-1)?.body;
    const before = last && isForSame(last, body) ? last : null;
    const content = [before?.content, body.content].filter(Boolean).join("\n\n");
    const attachments = union(before?.attachments, body.attachments);
    // What was written for the first alone left the draft with it.
    const whole: Ask = { ...(before && writtenIn(before)), ...body, content };
    if (attachments.length > 0) whole.attachments = attachments;
    const waiting = { body: whole, idempotencyKey: newKey() };
    next.write(id, [...(before ? all.slice(0, -1) : all), waiting]);
  },
  write(id: string, waiting: readonly Waiting[]) {
    kept.write(keyOf(id), waiting.length > 0 ? JSON.stringify(waiting) : null);
    tell();
  },
  /** Takes one out to be asked: the first, or the one with this key. */
  take(id: string, key?: string): Waiting | null {
    const all = next.read(id);
    const taken = all.find(({ idempotencyKey }) => key === undefined || idempotencyKey === key);
    if (!taken) return null;
    next.write(
      id,
      all.filter((one) => one !== taken),
    );
    return taken;
  },
  /** Puts one back to where it stood. */
  putBack(id: string, at: number, waiting: Waiting) {
    next.write(id, next.read(id).toSpliced(at, 0, waiting));
  },
};

function subscribe(listener: () => void) {
  listeners.add(listener);
  const leave = identity.subscribe(listener);
  addEventListener("storage", listener);
  return () => {
    listeners.delete(listener);
    leave();
    removeEventListener("storage", listener);
  };
}

export const useNext = (id: string) => useSyncExternalStore(subscribe, () => next.read(id));
