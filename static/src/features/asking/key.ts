/** crypto.randomUUID exists only on https and localhost; a plain-http LAN address has this. */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** A random UUID (version 4). */
export const newId = () =>
  newKey().replace(
    /^(.{8})(.{4}).(.{3})(.)(.{3})(.{12})$/,
    (_, a, b, c, variant, d, e) =>
      `${a}-${b}-4${c}-${((Number.parseInt(variant, 16) & 3) | 8).toString(16)}${d}-${e}`,
  );
