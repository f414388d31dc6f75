/**
 * Makes pictures ready to be sent: the server and the models need no more pixels than these, and nobody needs to be told where
 * a photo was taken. What is drawn anew has nothing of what its file said besides its pixels.
 */
import { Problem } from "../../api/problem";
import { t } from "../../i18n";
import { contentsOf } from "./contents";

/** The longest side, in pixels: models make larger pictures smaller before they look at them. */
const longestSide = 1_568;
const thumbnailSide = 96;
const quality = 0.9;

export interface Prepared {
  blob: Blob;
  /** To be shown while the server does not have it; null for what no browser can draw. */
  thumbnail: string | null;
}

/** Whether it is a picture by what the browser takes it for. A drawing in SVG is text. */
export const isPicture = ({ type }: Blob) => type.startsWith("image/") && type !== "image/svg+xml";

const notDrawn = () =>
  new Problem(
    "refused",
    t("This browser cannot make the picture smaller. Save it again, or smaller."),
  );

function drawn(image: ImageBitmap, width: number, height: number): HTMLCanvasElement {
  const canvas = document.createElement("canvas");
  canvas.width = width;
  canvas.height = height;
  const context = canvas.getContext("2d");
  if (!context) throw notDrawn();
  context.imageSmoothingQuality = "high";
  context.drawImage(image, 0, 0, width, height);
  return canvas;
}

/** The middle of it, as a square. */
function thumbnailOf(image: ImageBitmap): string {
  const side = Math.min(image.width, image.height);
  const canvas = document.createElement("canvas");
  canvas.width = thumbnailSide;
  canvas.height = thumbnailSide;
  const from = [(image.width - side) / 2, (image.height - side) / 2] as const;
  canvas
    .getContext("2d")
    ?.drawImage(image, ...from, side, side, 0, 0, thumbnailSide, thumbnailSide);
  return canvas.toDataURL();
}

/** What keeps its kind: a drawing stays sharp, a moving picture goes on moving. */
const asItIs = new Set(["image/png", "image/gif", "image/webp"]);

/**
 * Makes a picture no larger than is of use. A damaged one is refused here, since the server looks at its beginning alone;
 * anything else that cannot be drawn is sent as it is, and the server says why it is not taken.
 */
export async function prepared(file: Blob): Promise<Prepared> {
  const image = await createImageBitmap(file).catch(() => null);
  if (!image) {
    const { kind } = await contentsOf(file);
    if (kind === "damaged picture") throw new Problem("refused", t("This picture cannot be read."));
    return { blob: file, thumbnail: null };
  }
  try {
    const thumbnail = thumbnailOf(image);
    const scale = Math.min(1, longestSide / Math.max(image.width, image.height));
    const moves = file.type === "image/gif";
    if (moves || (scale === 1 && asItIs.has(file.type))) return { blob: file, thumbnail };
    const size = (pixels: number) => Math.max(1, Math.round(pixels * scale));
    const canvas = drawn(image, size(image.width), size(image.height));
    const type = asItIs.has(file.type) ? file.type : "image/jpeg";
    const blob = await new Promise<Blob | null>((done) => canvas.toBlob(done, type, quality));
    // Not sent as it was: nobody has agreed to send what its file says besides its pixels.
    if (!blob) throw notDrawn();
    return { blob, thumbnail };
  } finally {
    image.close();
  }
}
