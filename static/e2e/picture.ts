/** Pictures to be asked about, made here: simulated models do not care what is in them. */
import { crc32, deflateSync } from "node:zlib";

function chunk(kind: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(kind, "latin1"), data]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(data.length, 0);
  frame.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
}

/** A PNG of this size: hills under a sky. */
export function png(width: number, height: number): Buffer {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 2, 0, 0, 0], 8);
  const row = width * 3 + 1;
  const pixels = Buffer.alloc(row * height);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const [across, down] = [x / width, y / height];
      const far = 0.55 + 0.12 * Math.sin(across * 7);
      const near = 0.75 + 0.1 * Math.sin(across * 4 + 2);
      const color =
        down > near
          ? [46, 92, 70]
          : down > far
            ? [96, 148, 122]
            : [150 + 90 * down, 190 + 50 * down, 230];
      pixels.set(color, y * row + 1 + x * 3);
    }
  }
  const parts = [
    chunk("IHDR", head),
    chunk("IDAT", deflateSync(pixels)),
    chunk("IEND", Buffer.alloc(0)),
  ];
  return Buffer.concat([Buffer.from("89504e470d0a1a0a", "hex"), ...parts]);
}
