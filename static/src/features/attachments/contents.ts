/** What a file that the server does not take contains, as far as its bytes tell: the server's own words are English. */

/** The longest side of a picture that is taken, in pixels; and the length beyond which it is damage and no picture's side. */
const longestSide = 8_000;
const impossibleSide = 100_000;

export type Contents =
  | { kind: "damaged picture" }
  | { kind: "large picture"; width: number; height: number }
  | { kind: "picture" }
  | { kind: "empty" }
  | { kind: "text in another encoding" }
  | { kind: "other" };

/** Whether its bytes can be had: of a folder they cannot, nor of a file that was moved or changed since it was chosen. */
export async function isReadable(file: Blob): Promise<boolean> {
  try {
    await file.slice(0, 1).arrayBuffer();
    return true;
  } catch {
    return false;
  }
}

const beginsWith = (bytes: Uint8Array, start: readonly number[], at = 0) =>
  start.every((byte, index) => bytes[at + index] === byte);
const ascii = (text: string) => [...text].map((one) => one.charCodeAt(0));

function formatOf(bytes: Uint8Array): "png" | "gif" | "other" | null {
  if (beginsWith(bytes, [0x89, ...ascii("PNG\r\n"), 0x1a, 0x0a])) return "png";
  if (beginsWith(bytes, ascii("GIF8"))) return "gif";
  const isWebP = beginsWith(bytes, ascii("RIFF")) && beginsWith(bytes, ascii("WEBP"), 8);
  return isWebP || beginsWith(bytes, [0xff, 0xd8, 0xff]) ? "other" : null;
}

/** How large a picture says that it is; null where that is not at a fixed place. */
function sidesOf(bytes: Uint8Array, format: "png" | "gif" | "other"): [number, number] | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (format === "png" && view.byteLength >= 24) return [view.getUint32(16), view.getUint32(20)];
  if (format === "gif" && view.byteLength >= 10)
    return [view.getUint16(6, true), view.getUint16(8, true)];
  return null;
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

export async function contentsOf(file: Blob): Promise<Contents> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  const format = formatOf(bytes);
  if (format !== null) {
    const [width, height] = sidesOf(bytes, format) ?? [0, 0];
    const side = Math.max(width, height);
    if (side > longestSide && side <= impossibleSide)
      return { kind: "large picture", width, height };
    const image = side > impossibleSide ? null : await createImageBitmap(file).catch(() => null);
    image?.close();
    return { kind: image ? "picture" : "damaged picture" };
  }
  if (beginsWith(bytes, [0xff, 0xfe]) || beginsWith(bytes, [0xfe, 0xff]))
    return { kind: "text in another encoding" };
  if (isUtf8(bytes)) {
    const isBlank = new TextDecoder().decode(bytes).trim() === "";
    return { kind: isBlank ? "empty" : "other" };
  }
  const isText = bytes.every((byte) => byte >= 0x20 || [0x09, 0x0a, 0x0d].includes(byte));
  return { kind: isText ? "text in another encoding" : "other" };
}
