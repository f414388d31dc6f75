/** localStorage that may be full, blocked or absent: what cannot be kept lives as long as the page. */
const fallback = new Map<string, string>();

export const kept = {
  read(key: string): string | null {
    try {
      return localStorage.getItem(key) ?? fallback.get(key) ?? null;
    } catch {
      return fallback.get(key) ?? null;
    }
  },
  write(key: string, value: string | null) {
    if (value === null) fallback.delete(key);
    else fallback.set(key, value);
    try {
      if (value === null) localStorage.removeItem(key);
      else localStorage.setItem(key, value);
    } catch {
      // The copy in memory has to do.
    }
  },
};
