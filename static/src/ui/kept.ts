/**
 * What this browser keeps, each of it under the id of the user it belongs to: another one who signs in
 * here finds nothing of it. Storage may be full, blocked or absent: what cannot be kept lives as long as
 * the page.
 */

const ownerKey = "user";
const prefixOf = (user: string) => `user:${encodeURIComponent(user)}:`;

const readOwner = () => {
  try {
    return localStorage.getItem(ownerKey);
  } catch {
    return null;
  }
};

/** Who was signed in when the page was last told. */
let owner = readOwner();

function keptIn(storage: () => Storage) {
  const memory = new Map<string, string>();
  return {
    read(name: string): string | null {
      // What could not be kept is newer than what was.
      const unkept = memory.get(name);
      if (unkept !== undefined) return unkept;
      try {
        return owner === null ? null : storage().getItem(prefixOf(owner) + name);
      } catch {
        return null;
      }
    },
    write(name: string, value: string | null) {
      if (value === null) memory.delete(name);
      else memory.set(name, value);
      if (owner === null) return;
      try {
        if (value === null) storage().removeItem(prefixOf(owner) + name);
        else storage().setItem(prefixOf(owner) + name, value);
        // What another tab makes of it counts here too.
        memory.delete(name);
      } catch {
        // The copy in memory has to do.
      }
    },
    /** Forgets what is not of this user: of another one, or from before there were owners. */
    keepOnly(user: string, isTheirs: boolean) {
      if (!isTheirs) memory.clear();
      try {
        for (const key of Object.keys(storage())) {
          const isOwned = key.startsWith("user:") && !key.startsWith(prefixOf(user));
          if (isOwned || /^(draft|asking):/.test(key)) storage().removeItem(key);
        }
        for (const [name, value] of memory) storage().setItem(prefixOf(user) + name, value);
        memory.clear();
      } catch {
        // Blocked: nothing was kept.
      }
    },
  };
}

export const kept = keptIn(() => localStorage);

/** Storage for this tab alone. */
export const keptInTab = keptIn(() => sessionStorage);

export const keeper = {
  /** The key that changes, for other tabs too, when another user signs in. */
  key: ownerKey,
  owner: () => owner,
  /** From now on this user's things are kept, and nobody else's. */
  own(user: string) {
    const isTheirs = owner === null || owner === user;
    kept.keepOnly(user, isTheirs);
    keptInTab.keepOnly(user, isTheirs);
    owner = user;
    try {
      localStorage.setItem(ownerKey, user);
    } catch {
      // Blocked: nothing is kept that could be another user's.
    }
  },
  /** This tab keeps nothing of anybody's any more. */
  leave() {
    keptInTab.keepOnly("", false);
    owner = null;
  },
  /** The same for the whole browser, whose other tabs are told. */
  forget() {
    kept.keepOnly("", false);
    keeper.leave();
    try {
      localStorage.removeItem(ownerKey);
    } catch {
      // Blocked: nothing was kept.
    }
  },
};
