import { afterEach, expect, it, vi } from "vitest";
import { prepared } from "./shrink";

const close = vi.fn<() => void>();
const photo = new Blob(["with its place"], { type: "image/jpeg" });

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  close.mockReset();
});

/** A browser that draws, and writes what it drew as this. */
function drawing(written: Blob | null) {
  vi.stubGlobal("createImageBitmap", async () => ({ width: 3_136, height: 1_000, close }));
  const context = { drawImage: vi.fn<() => void>() } as unknown as CanvasRenderingContext2D;
  vi.spyOn(HTMLCanvasElement.prototype, "getContext").mockReturnValue(context as never);
  vi.spyOn(HTMLCanvasElement.prototype, "toDataURL").mockReturnValue("data:image/png;base64,");
  const sizes: number[][] = [];
  vi.spyOn(HTMLCanvasElement.prototype, "toBlob").mockImplementation(function (
    this: HTMLCanvasElement,
    done,
  ) {
    sizes.push([this.width, this.height]);
    done(written);
  });
  return sizes;
}

it("a photo is drawn anew in no more pixels than are of use", async () => {
  const small = new Blob(["pixels"], { type: "image/jpeg" });
  const sizes = drawing(small);
  expect((await prepared(photo)).blob).toBe(small);
  expect(sizes).toEqual([[1_568, 500]]);
  expect(close).toHaveBeenCalledOnce();
});

it("one that cannot be written anew is not sent as it was", async () => {
  drawing(null);
  await expect(prepared(photo)).rejects.toThrow("cannot make the picture smaller");
  expect(close).toHaveBeenCalledOnce();
});

it("a picture that is damaged is refused before it is sent", async () => {
  vi.stubGlobal("createImageBitmap", () => Promise.reject(new Error("no")));
  const head = [0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52];
  const size = [0, 0, 1, 0, 0, 0, 1, 0];
  const cut = new Blob([new Uint8Array([...head, ...size, 8, 2])], { type: "image/png" });
  await expect(prepared(cut)).rejects.toThrow("This picture cannot be read.");
});

it("what the browser cannot draw goes to the server as it is, which says why it is not taken", async () => {
  vi.stubGlobal("createImageBitmap", () => Promise.reject(new Error("no")));
  expect(await prepared(photo)).toEqual({ blob: photo, thumbnail: null });
});
