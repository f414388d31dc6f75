/**
 * The next question of a conversation: asked while a run was under way, it waits for that run's answer.
 * Kept across reloads, and shared by the tabs of this browser: under its key it is asked only once.
 */
import { useSyncExternalStore } from "react";
import { identity } from "../../api/identity";
import type { Ask } from "../../api/types";
import { kept } from "../../ui/kept";
import { union } from "../attachments/chosen";
import { newKey } from "./key";
import { isQuestion, type Waiting } from "./pending";

const keyOf = (id: string) => `next:${id}`;
const read = new Map<string, { text: string | null; waiting: Waiting | null }>();
const listeners = new Set<() => void>();
const tell = () => {
  for (const listener of listeners) listener();
};

function parse(text: string | null): Waiting | null {
  try {
    const value: unknown = JSON.parse(text ?? "null");
    return isQuestion(value) ? value : null;
  } catch {
    return null;
  }
}

export const next = {
  read(id: string): Waiting | null {
    const text = identity.user() === null ? null : kept.read(keyOf(id));
    let known = read.get(id);
    if (!known || known.text !== text) {
      known = { text, waiting: parse(text) };
      read.set(id, known);
    }
    return known.waiting;
  },
  /** A second one is added to the one that waits already: it is one question then. */
  add(id: string, body: Ask) {
    const before = next.read(id)?.body;
    const content = [before?.content, body.content].filter(Boolean).join("\n\n");
    const attachments = union(before?.attachments, body.attachments);
    const whole: Ask = { ...body, content };
    if (attachments.length > 0) whole.attachments = attachments;
    next.write(id, { body: whole, idempotencyKey: newKey() });
  },
  write(id: string, waiting: Waiting | null) {
    kept.write(keyOf(id), waiting && JSON.stringify(waiting));
    tell();
  },
  /** Takes it out, for the one who asks it. */
  take(id: string): Waiting | null {
    const waiting = next.read(id);
    if (waiting) next.write(id, null);
    return waiting;
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
