/**
 * Whether the server takes questions: noticed when it refuses or cannot be reached, and asked after
 * until it does again. While it drains it still answers what is only read, so no other answer counts.
 */
import { useSyncExternalStore } from "react";
import { looksSignedOut } from "./problem";

export type Away = "restarting" | "unreachable";

const firstMs = 1_000;
const longestMs = 10_000;

let away: Away | null = null;
let timer: ReturnType<typeof setTimeout> | undefined;
const listeners = new Set<() => void>();

function set(next: Away | null) {
  if (away === next) return;
  away = next;
  for (const listener of listeners) listener();
}

async function isBack(): Promise<boolean> {
  try {
    const response = await fetch("/health/ready", { redirect: "manual", cache: "no-store" });
    if (response.ok && !looksSignedOut(response)) return true;
    // A proxy that does not let this through, or asks to sign in first: the next call will tell.
    return looksSignedOut(response) || response.status === 404;
  } catch {
    return false;
  }
}

function lookAgain(ms: number) {
  clearTimeout(timer);
  timer = setTimeout(async () => {
    if (await isBack()) set(null);
    else lookAgain(Math.max(firstMs, Math.min(ms * 1.6, longestMs)));
  }, ms);
}

export const availability = {
  note(next: Away) {
    const known = away !== null;
    // A server that restarts cannot be reached for a while.
    if (away !== "restarting") set(next);
    if (!known) lookAgain(firstMs);
  },
  subscribe(listener: () => void) {
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
    };
  },
  now: () => away,
};

// Somebody who comes back, or whose network does, need not wait for the next look.
addEventListener("online", () => away && lookAgain(0));

/** Why the server takes no questions; null when it does. */
export const useAway = () => useSyncExternalStore(availability.subscribe, availability.now);
