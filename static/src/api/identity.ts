/**
 * Whom this page is for. A browser is shared, and a page outlives a session: it comes back from the
 * browser's cache, or the next person signs in beside it. So each request says whom the page is for, and the
 * server refuses it where that is not who is signed in. The server is asked again whenever the page comes back,
 * too. Another answer clears what is kept of the last user and loads the page anew.
 */
import { keeper } from "../ui/kept";
import { unsubscribe } from "../ui/subscription";

let user: string | null = null;
let asking: Promise<void> | null = null;
const listeners = new Set<() => void>();
const leaving = new Set<() => void>();

/** The page is on its way out: nobody may do anything more with it. */
const never = () => new Promise<never>(() => undefined);

export const identity = {
  /** Null until the server has said it. */
  user: () => user,
  /** Calls back once the server has said who it is. */
  subscribe(listener: () => void) {
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
    };
  },
  /** Calls back right before the page is reloaded for another user. */
  beforeReload(listener: () => void) {
    leaving.add(listener);
  },
  /** The server has said who is signed in. */
  async note(id: string): Promise<void> {
    if (id === user) return;
    const last = user ?? keeper.owner();
    if (last !== null && last !== id) {
      document.documentElement.style.visibility = "hidden";
      // It was the last user's device. What this page writes until then is the last user's as well, and goes with the rest.
      await unsubscribe();
      keeper.own(id);
      for (const listener of leaving) listener();
      location.reload();
      return never();
    }
    keeper.own(id);
    user = id;
    for (const listener of listeners) listener();
  },
  /** Nobody's page from here on: nothing is asked in anybody's name. */
  leave() {
    user = null;
  },
  /** Resolves once the server has said who it is. */
  known(): Promise<void> {
    if (user !== null) return Promise.resolve();
    return new Promise((resolve) => {
      const leave = identity.subscribe(() => {
        leave();
        resolve();
      });
    });
  },
  /** Asks by `whoami`, which notes the answer. */
  check(whoami: () => Promise<unknown>): Promise<void> {
    asking ??= whoami()
      .then(() => undefined)
      .finally(() => {
        asking = null;
      });
    return asking;
  },
};

/**
 * Asks anew whenever this page comes back, or another tab has seen somebody else. Where another tab keeps nobody's things any
 * more, everything of this user was deleted (`erased`).
 */
export function watchIdentity(whoami: () => Promise<unknown>, erased: () => void) {
  const look = () => {
    if (user === null || document.visibilityState === "hidden") return;
    // Without an answer nothing is known to have changed: the next call to the server will say.
    identity.check(whoami).catch(() => undefined);
  };
  addEventListener("focus", look);
  document.addEventListener("visibilitychange", look);
  addEventListener("storage", ({ key, newValue }) => {
    if (key !== keeper.key || user === null || newValue === user) return;
    if (newValue === null) erased();
    else identity.check(whoami).catch(() => undefined);
  });
  // The browser may keep the page as it is and show it again on Back: hidden until the server has
  // said that it is still the same person. Hidden like this, nothing in it moves.
  const { style } = document.documentElement;
  addEventListener("pagehide", ({ persisted }) => {
    if (persisted) style.visibility = "hidden";
  });
  addEventListener("pageshow", ({ persisted }) => {
    if (!persisted) return;
    identity.check(whoami).then(
      () => style.removeProperty("visibility"),
      () => location.reload(),
    );
  });
}
